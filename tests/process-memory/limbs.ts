import { STARK_ORDER } from '../contracts/stark-verification.ts';
import { GROUP_ORDER } from '../unit/adapters/signing/p256-order.ts';
import type { Form } from './forms.ts';

/** Algorithms whose signer computes with limbs, with the order of their group. */
const ORDERS = { starknet: STARK_ORDER, es256: BigInt(`0x${GROUP_ORDER}`) };

/** An algorithm whose signer computes with limbs. */
export type LimbAlgorithm = keyof typeof ORDERS;

const LIMBS = 22;
const LIMB_BITS = 12n;

/** 32-bit integers of 12 bits each, least significant first, as src/adapters/signing computes. */
function limbsOf(number: bigint): Buffer {
  const limbs = Int32Array.from({ length: LIMBS }, (_, limb) =>
    Number((number >> (BigInt(limb) * LIMB_BITS)) & 0xfffn),
  );
  return Buffer.from(limbs.buffer);
}

function numberOf(bigEndian: Buffer): bigint {
  return BigInt(`0x${bigEndian.toString('hex')}`);
}

/** Whether {@link limbForms} are among the forms of its keys and nonces. */
export function computesWithLimbs(algorithm: string): algorithm is LimbAlgorithm {
  return Object.hasOwn(ORDERS, algorithm);
}

/** number · 2^264 modulo the group order (Montgomery form). */
export function montgomeryLimbs(algorithm: LimbAlgorithm, number: Buffer): Buffer {
  return limbsOf(montgomeryForm(algorithm, number));
}

function montgomeryForm(algorithm: LimbAlgorithm, number: Buffer): bigint {
  return (numberOf(number) << (BigInt(LIMBS) * LIMB_BITS)) % ORDERS[algorithm];
}

/**
 * Halves of a number of 32 bytes, itself and in Montgomery form, which products leave unreduced.
 */
export function limbForms(algorithm: LimbAlgorithm, number: Buffer): readonly Form[] {
  const inForm = montgomeryForm(algorithm, number);
  return [
    form('itself', limbsOf(numberOf(number))),
    form('Montgomery form', limbsOf(inForm)),
    form('Montgomery form and the order', limbsOf(inForm + ORDERS[algorithm])),
  ];
}

function form(name: string, bytes: Buffer): Form {
  return { name, parts: [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)] };
}
