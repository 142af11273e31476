import { pedersen as computePedersen, keccak, poseidonHashMany } from '@scure/starknet';
import { parseShortString } from '../../domain/payload/starknet.ts';

/** A hash function of SNIP-12, and its cost. */
interface FeltHash {
  /** Hashes field elements, each below the prime, to one. */
  readonly hash: (felts: readonly bigint[]) => bigint;
  /** The operations that so many elements take; each blocks the event loop. */
  readonly countOperations: (felts: number) => number;
  /**
   * The operations that one message may take. Requests need fewer: in revision 0 a
   * modified order of Paradex 9 and two calls of SNIP-9 with three arguments each 31; in revision 1
   * ten calls with eight arguments each 90.
   */
  readonly maxOperations: number;
}

/** Short inputs whose hash is kept: types, domains and accounts come again and again. */
const MAX_KNOWN = 1024;
const MAX_KNOWN_FELTS = 8;

function memoize(hash: (...felts: bigint[]) => bigint): typeof hash {
  const known = new Map<string, bigint>();
  return (...felts) => {
    if (felts.length > MAX_KNOWN_FELTS) return hash(...felts);
    const key = felts.join();
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = hash(...felts);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, result);
    return result;
  };
}

const pedersen = memoize((first = 0n, second = 0n) => BigInt(computePedersen(first, second)));

const poseidon = memoize((...felts) => poseidonHashMany(felts));

/** Hash functions of SNIP-12, by revision. */
export const HASH_OF_REVISION: readonly [FeltHash, FeltHash] = [
  {
    // h(h(h(0, x₁), x₂) …, n). Source: docs.starknet.io, "Hash functions".
    hash: (felts) => [...felts, BigInt(felts.length)].reduce((hash, felt) => pedersen(hash, felt), 0n),
    countOperations: (felts) => felts + 1,
    maxOperations: 32,
  },
  {
    hash: (felts) => poseidon(...felts),
    // A permutation absorbs two elements; one more ends the list.
    countOperations: (felts) => Math.floor(felts / 2) + 1,
    maxOperations: 128,
  },
];

const encoder = new TextEncoder();

/** The low 250 bits of Keccak-256 over UTF-8 ("starknet_keccak"). */
export function starknetKeccak(text: string): bigint {
  return keccak(encoder.encode(text));
}

/** First element of what is hashed and signed (SNIP-12, "Prefix message"). */
export const MESSAGE_PREFIX = parseShortString('StarkNet Message') ?? 0n;
