import { Point, poseidonHash, poseidonHashMany } from '@scure/starknet';
import type { StarknetHasher } from '../../ports/hasher.ts';

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

/** By @scure/starknet, which sees public data only. */
export class ScureStarknetHasher implements StarknetHasher {
  /** Pedersen: h(h(h(0, x₁), x₂) …, n). Source: docs.starknet.io, "Hash functions". */
  hash(revision: 0 | 1, felts: readonly bigint[]): bigint {
    if (revision === 1) return poseidon(...felts);
    return [...felts, BigInt(felts.length)].reduce((hash, felt) => pedersen(hash, felt), 0n);
  }

  hashPair(revision: 0 | 1, first: bigint, second: bigint): bigint {
    return revision === 1 ? poseidonHash(first, second) : pedersen(first, second);
  }
}
