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
