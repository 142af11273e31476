import { LockedBuffer } from '../vault/locked-buffer.ts';
import { LIMBS, type Limbs, MontgomeryField, PRODUCT_LIMBS } from './montgomery-field.ts';
import { isScalar, NONCE_MEMORY_BYTES, NonceGenerator } from './nonce-generator.ts';

/** Private keys, message hashes, nonces and both halves of a signature, big-endian. */
export const ECDSA_NUMBER_BYTES = 32;

/** Writes the x coordinate of scalar·G; both 32 bytes big-endian, in the same memory or not. */
export type MultiplyGenerator = (target: Uint8Array, scalar: Uint8Array) => void;

/** A curve whose group of points has a prime order of 249 to 256 bits. */
export interface EcdsaCurve {
  /** Order of the group. */
  readonly order: bigint;
  /** 32-bit integers of locked memory that multiples of the generator take. */
  readonly memoryLimbs: number;
  /** @param memory as secret as the scalars; the caller wipes it after each use */
  makeMultiplier(memory: Int32Array, scalars: MontgomeryField): MultiplyGenerator;
}

const NUMBERS_LIMBS = 4 * LIMBS + PRODUCT_LIMBS;

/**
 * ECDSA (SEC 1 §4.1.3) with nonces of RFC 6979 and SHA-256. The private key and everything computed
 * with it stay in one locked page, which is wiped after each use.
 */
export class Ecdsa {
  readonly #curve: EcdsaCurve;
  readonly #order: Buffer;
  readonly #memory: LockedBuffer;
  #parts: Parts | undefined;

  constructor(curve: EcdsaCurve) {
    this.#curve = curve;
    this.#order = Buffer.from(curve.order.toString(16).padStart(2 * ECDSA_NUMBER_BYTES, '0'), 'hex');
    this.#memory = new LockedBuffer(4 * (curve.memoryLimbs + NUMBERS_LIMBS) + ECDSA_NUMBER_BYTES + NONCE_MEMORY_BYTES);
  }

  /** Whether a private key is from 1 to the group order less 1. */
  isPrivateKey(privateKey: Uint8Array): boolean {
    return isScalar(privateKey, this.#order);
  }

  /** The x coordinate of the public key, 32 bytes. */
  publicKey(privateKey: Uint8Array): Buffer {
    return this.#use(({ multiplyGenerator, value }) => {
      multiplyGenerator(value, privateKey);
      return Buffer.from(value);
    });
  }

  /**
   * r ‖ s, 64 bytes.
   * @param hash 32 bytes, of no more bits than the group order
   */
  sign(privateKey: Uint8Array, hash: Uint8Array): Buffer {
    return this.#use(({ multiplyGenerator, nonces, scalars, numbers, value }) => {
      const [nonce, inverse, sum, factor] = numbers;
      const reducedHash = Buffer.alloc(ECDSA_NUMBER_BYTES);
      scalars.fromBytes(sum, hash);
      scalars.toBytes(reducedHash, sum);
      nonces.generate(value, privateKey, reducedHash);
      scalars.fromBytes(nonce, value);
      scalars.invert(inverse, nonce);
      multiplyGenerator(value, value);
      const signature = Buffer.alloc(2 * ECDSA_NUMBER_BYTES);
      // r mod n; then s = (hash + r·key) / nonce mod n.
      scalars.fromBytes(factor, value);
      sum.set(factor);
      scalars.toBytes(signature.subarray(0, ECDSA_NUMBER_BYTES), sum);
      scalars.fromBytes(sum, privateKey);
      scalars.multiply(sum, sum, factor);
      scalars.fromBytes(factor, reducedHash);
      scalars.add(sum, sum, factor);
      scalars.multiply(sum, sum, inverse);
      scalars.toBytes(signature.subarray(ECDSA_NUMBER_BYTES), sum);
      return signature;
    });
  }

  #use<Result>(action: (parts: Parts) => Result): Result {
    return this.#memory.useAndWipe((bytes) => {
      this.#parts ??= this.#divide(bytes);
      return action(this.#parts);
    });
  }

  #divide(bytes: Buffer): Parts {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, this.#curve.memoryLimbs + NUMBERS_LIMBS);
    const numberAt = (index: number) => words.subarray(PRODUCT_LIMBS + index * LIMBS).subarray(0, LIMBS);
    const scalars = new MontgomeryField(this.#curve.order, words.subarray(0, PRODUCT_LIMBS));
    const rest = bytes.subarray(words.byteLength);
    return {
      scalars,
      multiplyGenerator: this.#curve.makeMultiplier(words.subarray(NUMBERS_LIMBS), scalars),
      nonces: new NonceGenerator(this.#order, rest.subarray(ECDSA_NUMBER_BYTES)),
      numbers: [numberAt(0), numberAt(1), numberAt(2), numberAt(3)],
      value: rest.subarray(0, ECDSA_NUMBER_BYTES),
    };
  }
}

/** Of the locked memory. */
interface Parts {
  /** Arithmetic modulo the group order. */
  readonly scalars: MontgomeryField;
  readonly multiplyGenerator: MultiplyGenerator;
  readonly nonces: NonceGenerator;
  readonly numbers: readonly [Limbs, Limbs, Limbs, Limbs];
  /** 32 bytes. */
  readonly value: Buffer;
}
