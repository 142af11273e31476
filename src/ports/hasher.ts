import type { DigestAlgorithm } from '../domain/model/algorithm.ts';

/** Digests for the audit record and for payloads. */
export interface Hasher {
  /** `sha256:<64 hex>` (FIPS 180-4, lower case) of the bytes, or of a text's UTF-8. */
  sha256(content: Uint8Array | string): string;

  /** 32 bytes; 64 for SHA-512. */
  digest(algorithm: DigestAlgorithm, content: Uint8Array): Uint8Array;
}

/**
 * Hash functions of SNIP-12 over field elements, each below the prime of StarkNet, by revision: 0
 * is Pedersen, 1 is Poseidon. An operation takes some hundred microseconds.
 */
export interface StarknetHasher {
  /** `hash_array`: of a list of any length. */
  hash(revision: 0 | 1, felts: readonly bigint[]): bigint;

  /** Of a pair of nodes of a Merkle tree. */
  hashPair(revision: 0 | 1, first: bigint, second: bigint): bigint;
}
