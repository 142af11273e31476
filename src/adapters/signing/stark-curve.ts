import { Point } from '@scure/starknet';
import type { EcdsaCurve } from './ecdsa.ts';
import { LIMBS, type Limbs, MontgomeryField, PRODUCT_LIMBS } from './montgomery-field.ts';

/** Field prime, 2^251 + 17·2^192 + 1. */
const PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

/** Order of the group, which is prime. */
const GROUP_ORDER = 0x800000000000010ffffffffffffffffb781126dcae7b2321e66a241adc64d2fn;

/** β of y² = x³ + x + β. */
const BETA = 0x6f21413efbe40de150e596d72f7a8c5609ad26c15c915c1f4cdfcb99cee9e89n;

/** Digits of 4 bits of a number below the group order. */
const WINDOWS = 63;
const WINDOW_VALUES = 16;

/** Added to each digit, so that no multiple in the table is the neutral element: Σ 16^i. */
const DIGIT_OFFSET = (16n ** BigInt(WINDOWS) - 1n) / 15n;

const NAMES = ['x', 'y', 'z', 'tableX', 'tableY', 't0', 't1', 't3', 't4', 't5', 'u', 'v', 'w'] as const;

/** 32-bit integers. */
const MEMORY_LIMBS = NAMES.length * LIMBS + PRODUCT_LIMBS;

const NUMBER_BYTES = 32;

/** The Stark curve. Source: docs.starkware.co/starkex/crypto. */
export const STARK_CURVE: EcdsaCurve = {
  order: GROUP_ORDER,
  memoryLimbs: MEMORY_LIMBS,
  makeMultiplier: (memory, scalars) => {
    const multiples = new StarkMultiples(memory, scalars);
    return (target, scalar) => multiples.writeX(target, scalar);
  },
};

/**
 * Multiples of the generator of the Stark curve, y² = x³ + x + β over 2^251 + 17·2^192 + 1, for
 * secret scalars: see {@link MontgomeryField}.
 */
class StarkMultiples {
  readonly #scalars: MontgomeryField;
  readonly #field: MontgomeryField;
  readonly #numbers: { readonly [Name in (typeof NAMES)[number]]: Limbs };
  /** 3 β in Montgomery form. */
  readonly #threeBeta: Limbs;
  readonly #offset: Limbs;

  constructor(memory: Int32Array, scalars: MontgomeryField) {
    this.#scalars = scalars;
    this.#field = new MontgomeryField(PRIME, memory.subarray(0, PRODUCT_LIMBS));
    const numberAt = (index: number) => memory.subarray(PRODUCT_LIMBS + index * LIMBS).subarray(0, LIMBS);
    this.#numbers = Object.fromEntries(NAMES.map((name, index) => [name, numberAt(index)])) as {
      [Name in (typeof NAMES)[number]]: Limbs;
    };
    this.#threeBeta = this.#field.fromPublic(3n * BETA);
    this.#offset = this.#scalars.fromPublic(DIGIT_OFFSET);
  }

  /**
   * Writes the x coordinate of scalar·G.
   * @param target 32 bytes big-endian
   * @param scalar 32 bytes big-endian, 1 to the group order less 1; the same memory is allowed
   */
  writeX(target: Uint8Array, scalar: Uint8Array): void {
    const { x, y, z, u, v } = this.#numbers;
    this.#scalars.fromBytes(u, scalar);
    this.#scalars.subtract(u, u, this.#offset);
    this.#scalars.toBytes(target, u);
    this.#select(x, y, 0, digitOf(target, 0));
    z.set(this.#field.one);
    for (let window = 1; window < WINDOWS; window += 1) this.#addMultiple(window, digitOf(target, window));
    this.#field.invert(v, z);
    this.#field.multiply(u, x, v);
    this.#field.toBytes(target, u);
  }

  /**
   * Adds a point of the table to (x : y : z): the complete formulas of Renes, Costello and Batina
   * (eprint 2015/1060, algorithm 2) for a = 1, which have no exceptions on a curve of prime order.
   */
  #addMultiple(window: number, digit: number): void {
    const field = this.#field;
    const { x, y, z, tableX, tableY, t0, t1, t3, t4, t5, u, v, w } = this.#numbers;
    this.#select(tableX, tableY, window, digit);
    field.multiply(t0, x, tableX);
    field.multiply(t1, y, tableY);
    // t3 = x·tableY + y·tableX, t4 = x + z·tableX, t5 = y + z·tableY
    field.multiply(t3, x, tableY);
    field.multiply(u, y, tableX);
    field.add(t3, t3, u);
    field.multiply(t4, z, tableX);
    field.add(t4, t4, x);
    field.multiply(t5, z, tableY);
    field.add(t5, t5, y);
    // u = t4 + 3β·z, w = t1 − u, u = t1 + u
    field.multiply(u, z, this.#threeBeta);
    field.add(u, u, t4);
    field.subtract(w, t1, u);
    field.add(u, t1, u);
    // t4 = 3β·t4 + t0 − z, v = −t4, t0 = 3·t0 + z
    field.multiply(t4, t4, this.#threeBeta);
    field.add(t4, t4, t0);
    field.subtract(v, z, t4);
    field.subtract(t4, t4, z);
    field.add(z, z, t0);
    field.add(z, z, t0);
    field.add(t0, z, t0);
    // x = t3·w − t5·t4, y = t0·t4 + w·u, z = t5·u + t3·t0: each below 4 p
    field.multiply(x, t3, w);
    field.multiply(v, t5, v);
    field.add(x, x, v);
    field.multiply(y, t0, t4);
    field.multiply(v, w, u);
    field.add(y, y, v);
    field.multiply(z, t5, u);
    field.multiply(v, t3, t0);
    field.add(z, z, v);
  }

  /** Reads the whole row of the table, so that no address depends on the digit. */
  #select(tableX: Limbs, tableY: Limbs, window: number, digit: number): void {
    const table = getTable();
    tableX.fill(0);
    tableY.fill(0);
    for (let value = 0; value < WINDOW_VALUES; value += 1) {
      const mask = ((value ^ digit) - 1) >> 31;
      const start = (window * WINDOW_VALUES + value) * 2 * LIMBS;
      for (let limb = 0; limb < LIMBS; limb += 1) {
        tableX[limb] = (tableX[limb] ?? 0) | ((table[start + limb] ?? 0) & mask);
        tableY[limb] = (tableY[limb] ?? 0) | ((table[start + LIMBS + limb] ?? 0) & mask);
      }
    }
  }
}

function digitOf(scalar: Uint8Array, window: number): number {
  return ((scalar[NUMBER_BYTES - 1 - (window >> 1)] ?? 0) >> (4 * (window & 1))) & 0xf;
}

let table: Uint16Array | undefined;

/**
 * (digit + 1)·16^window·G for every window and digit: x, then y. Public; takes some 80 ms to make.
 */
function getTable(): Uint16Array {
  table ??= makeTable();
  return table;
}

function makeTable(): Uint16Array {
  const field = new MontgomeryField(PRIME, new Int32Array(PRODUCT_LIMBS));
  const limbs: number[] = [];
  let base = Point.BASE;
  for (let window = 0; window < WINDOWS; window += 1) {
    let multiple = base;
    for (let value = 0; value < WINDOW_VALUES; value += 1) {
      const { x, y } = multiple.toAffine();
      limbs.push(...field.fromPublic(x), ...field.fromPublic(y));
      if (value + 1 < WINDOW_VALUES) multiple = multiple.add(base);
    }
    base = multiple;
  }
  return Uint16Array.from(limbs);
}
