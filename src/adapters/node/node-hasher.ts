import { hash } from 'node:crypto';
import { keccak256 } from 'ethers/crypto';
import { getBytes } from 'ethers/utils';
import type { DigestAlgorithm } from '../../domain/model/algorithm.ts';
import type { Hasher } from '../../ports/hasher.ts';
import { sha256Of } from './sha256.ts';

/** SHA-2 by node:crypto; Keccak-256 by ethers, which OpenSSL lacks. */
export class NodeHasher implements Hasher {
  sha256(content: Uint8Array | string): string {
    return sha256Of(content);
  }

  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array {
    if (algorithm === 'keccak256') return getBytes(keccak256(content));
    return hash(algorithm, content, 'buffer');
  }
}
