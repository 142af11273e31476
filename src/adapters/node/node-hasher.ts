import { hash } from 'node:crypto';
import type { DigestAlgorithm } from '../../domain/model/algorithm.ts';
import type { Hasher } from '../../ports/hasher.ts';
import { keccak256 } from './keccak256.ts';
import { sha256Of } from './sha256.ts';

/** SHA-2 by node:crypto; Keccak-256, which OpenSSL lacks, by WebAssembly. */
export class NodeHasher implements Hasher {
  sha256(content: Uint8Array | string): string {
    return sha256Of(content);
  }

  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array {
    if (algorithm === 'keccak256') return keccak256(content);
    return hash(algorithm, content, 'buffer');
  }
}
