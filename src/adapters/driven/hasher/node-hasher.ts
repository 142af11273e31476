import { hash } from 'node:crypto';
import { keccak256 } from 'ethers/crypto';
import { getBytes } from 'ethers/utils';
import { sha256Of } from '../../../audit-trail/audit-record.ts';
import type { DigestAlgorithm } from '../../../domain/model/digest-algorithm.ts';
import type { Hasher } from '../../../ports/hasher.ts';

/**
 * Digests by node:crypto (OpenSSL), Keccak-256 by ethers, since OpenSSL knows no more of it than SHA-3. In one call each, which leaves no object of
 * `createHash` for the garbage collection.
 */
export class NodeHasher implements Hasher {
  sha256(content: Uint8Array | string): string {
    return sha256Of(content);
  }

  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array {
    if (algorithm === 'keccak256') return getBytes(keccak256(content));
    return hash(algorithm, content, 'buffer');
  }
}
