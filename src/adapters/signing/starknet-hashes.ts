import { keccak, pedersen, poseidonHashMany } from '@scure/starknet';
import { parseShortString } from '../../domain/payload/starknet.ts';

/** Hashes field elements, each below the prime, to one. */
type FeltHash = (felts: readonly bigint[]) => bigint;

/**
 * Pedersen's array hash, h(h(h(0, x₁), x₂) …, n): about a millisecond an element, which blocks the
 * event loop. Source: docs.starknet.io, "Hash functions".
 */
function pedersenArray(felts: readonly bigint[]): bigint {
  return [...felts, BigInt(felts.length)].reduce((hash, felt) => BigInt(pedersen(hash, felt)), 0n);
}

/** Hash function of SNIP-12, by revision. */
export const HASH_OF_REVISION: readonly [FeltHash, FeltHash] = [pedersenArray, (felts) => poseidonHashMany([...felts])];

const encoder = new TextEncoder();

/** The low 250 bits of Keccak-256 over UTF-8 ("starknet_keccak"). */
export function starknetKeccak(text: string): bigint {
  return keccak(encoder.encode(text));
}

/** First element of what is hashed and signed (SNIP-12, "Prefix message"). */
export const MESSAGE_PREFIX = parseShortString('StarkNet Message') ?? 0n;
