import { STARK_ORDER } from '../contracts/stark-verification.ts';
import type { Form } from './forms.ts';

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

/** number · 2^264 modulo the group order (Montgomery form). */
export function montgomeryLimbs(number: Buffer): Buffer {
  return limbsOf((numberOf(number) << (BigInt(LIMBS) * LIMB_BITS)) % STARK_ORDER);
}

/**
 * Halves of a number of 32 bytes, itself and in Montgomery form, which products leave unreduced.
 */
export function starkLimbForms(number: Buffer): readonly Form[] {
  const inForm = (numberOf(number) << (BigInt(LIMBS) * LIMB_BITS)) % STARK_ORDER;
  return [
    form('itself', limbsOf(numberOf(number))),
    form('Montgomery form', limbsOf(inForm)),
    form('Montgomery form and the order', limbsOf(inForm + STARK_ORDER)),
  ];
}

function form(name: string, bytes: Buffer): Form {
  return { name, parts: [bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2)] };
}
