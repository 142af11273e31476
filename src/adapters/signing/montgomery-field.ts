/** 22 limbs of 12 bits: 264 bits. */
export const LIMBS = 22;

const LIMB_BITS = 12;
const LIMB_MASK = 0xfff;
const NUMBER_BYTES = 32;

/** 32-bit integers of a product. */
export const PRODUCT_LIMBS = 2 * LIMBS;

/** A number as little-endian limbs of 12 bits, in memory of the caller's choice. */
export type Limbs = Int32Array;

/**
 * Arithmetic modulo an odd prime of up to 256 bits, for secrets: numbers stay in the memory that
 * the caller passes, and everything between is an integer below 2^31, which V8 keeps in registers
 * and on the stack, never on its heap. No branch and no address depends on a number's value.
 *
 * Numbers are in Montgomery form, x·2^264 mod p (Montgomery, "Modular Multiplication Without Trial
 * Division", 1985), and not always below the prime; {@link toBytes} reduces them.
 * 12-bit limbs let the sums of a whole product stay below 2^31 without carries.
 */
export class MontgomeryField {
  /** 1 in Montgomery form. Public. */
  readonly one: Limbs;
  readonly #prime: Limbs;
  /** 8 times the prime: keeps differences positive. */
  readonly #offset: Limbs;
  /** −prime⁻¹ mod 2^12. */
  readonly #factor: number;
  /** 2^528 mod the prime: a product with it converts to Montgomery form. */
  readonly #square: Limbs;
  readonly #unit: Limbs;
  /** Holds products: as secret as the numbers. */
  readonly #product: Limbs;
  readonly #exponentBits: readonly boolean[];

  /** @param product scratch memory of {@link PRODUCT_LIMBS}, which fields may share */
  constructor(prime: bigint, product: Limbs) {
    this.#prime = toLimbs(prime);
    this.#offset = toLimbs(8n * prime);
    this.#factor = -inverseOfLimb(at(this.#prime, 0)) & LIMB_MASK;
    this.#square = toLimbs((1n << BigInt(2 * LIMBS * LIMB_BITS)) % prime);
    this.#unit = toLimbs(1n);
    this.one = this.fromPublic(1n);
    this.#product = product;
    this.#exponentBits = [...(prime - 2n).toString(2)].map((bit) => bit === '1');
  }

  /** A public number in Montgomery form, in ordinary memory. */
  fromPublic(number: bigint): Limbs {
    const prime = toBigInt(this.#prime);
    return toLimbs(((number % prime) << BigInt(LIMBS * LIMB_BITS)) % prime);
  }

  /** Reads a big-endian number of 32 bytes, of any value, into Montgomery form. */
  fromBytes(target: Limbs, bytes: Uint8Array): void {
    readLimbs(target, bytes);
    this.multiply(target, target, this.#square);
  }

  /** Writes the number below the prime as 32 big-endian bytes; `number` changes. */
  toBytes(bytes: Uint8Array, number: Limbs): void {
    this.multiply(number, number, this.#unit);
    this.#subtractPrime(number);
    writeLimbs(bytes, number);
  }

  /** target = left + right. Any of them may be the same. The result is below the inputs' sum. */
  add(target: Limbs, left: Limbs, right: Limbs): void {
    let carry = 0;
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const sum = at(left, limb) + at(right, limb) + carry;
      target[limb] = sum & LIMB_MASK;
      carry = sum >> LIMB_BITS;
    }
  }

  /** target = left − right + 8 p, for `right` below 8 p. Any of them may be the same. */
  subtract(target: Limbs, left: Limbs, right: Limbs): void {
    let carry = 0;
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const difference = at(left, limb) - at(right, limb) + at(this.#offset, limb) + carry;
      target[limb] = difference & LIMB_MASK;
      carry = difference >> LIMB_BITS;
    }
  }

  /** target = left · right, below 2 p, if that is below 2^264 p. Any of them may be the same. */
  multiply(target: Limbs, left: Limbs, right: Limbs): void {
    const product = this.#product;
    const prime = this.#prime;
    const inverse = this.#factor;
    product.fill(0);
    for (let row = 0; row < LIMBS; row += 1) {
      const factor = at(left, row);
      const multiple = Math.imul(at(product, row) + Math.imul(factor, at(right, 0)), inverse) & LIMB_MASK;
      // Two limbs a round, which is a third faster.
      for (let limb = 0; limb < LIMBS; limb += 2) {
        const low = Math.imul(factor, at(right, limb)) + Math.imul(multiple, at(prime, limb));
        const high = Math.imul(factor, at(right, limb + 1)) + Math.imul(multiple, at(prime, limb + 1));
        product[row + limb] = (at(product, row + limb) + low) | 0;
        product[row + limb + 1] = (at(product, row + limb + 1) + high) | 0;
      }
      product[row + 1] = (at(product, row + 1) + (at(product, row) >> LIMB_BITS)) | 0;
    }
    let carry = 0;
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const sum = at(product, LIMBS + limb) + carry;
      target[limb] = sum & LIMB_MASK;
      carry = sum >> LIMB_BITS;
    }
  }

  /** target = number⁻¹ by Fermat's little theorem; 0 for 0. Distinct memory. */
  invert(target: Limbs, number: Limbs): void {
    target.set(this.one);
    for (const bit of this.#exponentBits) {
      this.multiply(target, target, target);
      if (bit) this.multiply(target, target, number);
    }
  }

  /** Subtracts the prime once, unless the number is below it. */
  #subtractPrime(number: Limbs): void {
    let borrow = 0;
    for (let limb = 0; limb < LIMBS; limb += 1) {
      borrow = (at(number, limb) - at(this.#prime, limb) + borrow) >> LIMB_BITS;
    }
    // -1 if the number is below the prime, else 0.
    const keep = borrow;
    borrow = 0;
    for (let limb = 0; limb < LIMBS; limb += 1) {
      const difference = at(number, limb) - (at(this.#prime, limb) & ~keep) + borrow;
      number[limb] = difference & LIMB_MASK;
      borrow = difference >> LIMB_BITS;
    }
  }
}

/** Limbs of a public number below 2^264, in ordinary memory. */
export function toLimbs(number: bigint): Limbs {
  return Int32Array.from({ length: LIMBS }, (_, limb) => Number((number >> BigInt(limb * LIMB_BITS)) & 0xfffn));
}

function toBigInt(limbs: Limbs): bigint {
  return limbs.reduceRight((number, limb) => (number << BigInt(LIMB_BITS)) | BigInt(limb), 0n);
}

/** Three bytes are two limbs. */
function readLimbs(target: Limbs, bytes: Uint8Array): void {
  for (let limb = 0; limb < LIMBS; limb += 2) {
    const end = NUMBER_BYTES - 1 - (limb / 2) * 3;
    const three = byteAt(bytes, end) | (byteAt(bytes, end - 1) << 8) | (byteAt(bytes, end - 2) << 16);
    target[limb] = three & LIMB_MASK;
    target[limb + 1] = three >> LIMB_BITS;
  }
}

function writeLimbs(bytes: Uint8Array, limbs: Limbs): void {
  for (let limb = 0; limb < LIMBS; limb += 2) {
    const end = NUMBER_BYTES - 1 - (limb / 2) * 3;
    const three = at(limbs, limb) | (at(limbs, limb + 1) << LIMB_BITS);
    for (let byte = 0; byte < 3 && byte <= end; byte += 1) bytes[end - byte] = (three >> (8 * byte)) & 0xff;
  }
}

/** Inverse of an odd limb modulo 2^12, by Newton's iteration from 3 correct bits. */
function inverseOfLimb(limb: number): number {
  let inverse = limb;
  for (let bits = 3; bits < LIMB_BITS; bits *= 2)
    inverse = Math.imul(inverse, 2 - Math.imul(limb, inverse)) & LIMB_MASK;
  return inverse;
}

function at(limbs: Int32Array, index: number): number {
  return limbs[index] ?? 0;
}

function byteAt(bytes: Uint8Array, index: number): number {
  return index < 0 ? 0 : (bytes[index] ?? 0);
}
