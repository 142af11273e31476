import { keccak, Point, poseidonHashMany } from '@scure/starknet';
import { parseShortString } from '../../domain/payload/starknet.ts';

/** A hash function of SNIP-12, and its cost. */
interface FeltHash {
  /** Hashes field elements, each below the prime, to one. */
  readonly hash: (felts: readonly bigint[]) => bigint;
  /** The operations that so many elements take; each blocks the event loop. */
  readonly countOperations: (felts: number) => number;
  /**
   * The operations that one message may take, some 50 ms. Requests need fewer: in revision 0 a
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

function pointAt(x: bigint, y: bigint) {
  return Point.fromAffine({ x, y });
}

/*
 * The points of the Pedersen hash, made from the digits of π. Source:
 * docs.starkware.co/starkex/crypto/pedersen-hash-function.html
 */
const SHIFT_POINT = pointAt(
  0x049ee3eba8c1600700ee1b87eb599f16716b0b1022947733551fde4050ca6804n,
  0x03ca0cfe4b3bc6ddf346d49d06ea0ed34e621062c0e056c1d0405d266e10268an,
);
const FIRST_LOW = pointAt(
  0x0234287dcbaffe7f969c748655fca9e58fa8120b6d56eb0c1080d17957ebe47bn,
  0x03b056f100f96fb21e889527d41f4e39940135dd7a6c94cc6ed0268ee89e5615n,
);
const FIRST_HIGH = pointAt(
  0x04fa56f376c83db33f9dab2656558f3399099ec1de5e3018b7a6932dba8aa378n,
  0x03fa0984c931c9e38113e0c0e47e4401562761f92a7a23b45168f4e80ff5b54dn,
);
const SECOND_LOW = pointAt(
  0x04ba4cc166be8dec764910f75b45f74b40c690c74709e90f3aa372f0bd2d6997n,
  0x0040301cf5c1751f4b971e46c4ede85fcac5c59a5ce5ae7c48151f27b24b219cn,
);
const SECOND_HIGH = pointAt(
  0x054302dcb0e6cc1c6e44cca8f61a63bb2ca65048d53fb325d36ff12c49a58202n,
  0x01b77b3e37d13504b348046268d8ae25ce98ad783c25561a879dcc77e99c2426n,
);

/** Digits of the tables of multiples, bits: made at the first use, in some 30 ms. */
const WINDOW_BITS = 6;
for (const point of [FIRST_LOW, SECOND_LOW]) point.precompute(WINDOW_BITS);

/** Bits that the first point of an operand takes; the second one takes those above. */
const LOW_BITS = 248n;

function multiply(felt: bigint, low: typeof FIRST_LOW, high: typeof FIRST_HIGH) {
  return low.multiplyUnsafe(BigInt.asUintN(Number(LOW_BITS), felt)).add(high.multiplyUnsafe(felt >> LOW_BITS));
}

/**
 * Pedersen's hash of two field elements. The one of @scure/starknet adds a point for each bit, and
 * takes four times as long.
 */
const pedersen = memoize((first = 0n, second = 0n) => {
  const point = multiply(first, FIRST_LOW, FIRST_HIGH).add(multiply(second, SECOND_LOW, SECOND_HIGH));
  return SHIFT_POINT.add(point).toAffine().x;
});

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
