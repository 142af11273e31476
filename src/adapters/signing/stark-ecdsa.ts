import sodium from 'sodium-native';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import { LIMBS, type Limbs } from './montgomery-field.ts';
import { CURVE_LIMBS, GROUP_ORDER, StarkCurve } from './stark-curve.ts';

/** Private keys, message hashes, nonces and both halves of a signature, big-endian. */
export const STARK_NUMBER_BYTES = 32;

const HMAC_BLOCK_BYTES = 64;
/** V ‖ one byte ‖ private key ‖ message hash (RFC 6979 §3.2 d). */
const LONGEST_HMAC_MESSAGE = 3 * STARK_NUMBER_BYTES + 1;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];

const ORDER_BYTES = Buffer.from(GROUP_ORDER.toString(16).padStart(2 * STARK_NUMBER_BYTES, '0'), 'hex');

const ORDER_LIMBS = 4 * LIMBS;
const MEMORY_BYTES = 4 * (CURVE_LIMBS + ORDER_LIMBS) + 3 * STARK_NUMBER_BYTES + HMAC_BLOCK_BYTES + LONGEST_HMAC_MESSAGE;

/**
 * ECDSA (SEC 1 §4.1.3) over the Stark curve with nonces of RFC 6979 and SHA-256, as StarkWare's
 * reference implementation signs. Secrets stay in one locked page, which is wiped after each use
 * (docs/decisions/0025-starknet-signer.md).
 */
export class StarkEcdsa {
  readonly #memory = new LockedBuffer(MEMORY_BYTES);
  #parts: Parts | undefined;

  /** Whether a private key is from 1 to the group order less 1. */
  isPrivateKey(privateKey: Uint8Array): boolean {
    return isScalar(privateKey);
  }

  /** The x coordinate of the public key, 32 bytes. */
  publicKey(privateKey: Uint8Array): Buffer {
    return this.#use((parts) => {
      parts.curve.multiplyGenerator(parts.value, privateKey);
      return Buffer.from(parts.value);
    });
  }

  /**
   * r ‖ s, 64 bytes. Verifiers also require r and s⁻¹ to be below 2^251, which is not so for one of
   * 2^54 signatures.
   * @param hash 32 bytes, below the group order
   */
  sign(privateKey: Uint8Array, hash: Uint8Array): Buffer {
    return this.#use((parts) => {
      const { curve, value, numbers } = parts;
      const { scalars } = curve;
      const [nonce, inverse, sum, factor] = numbers;
      writeNonce(parts, privateKey, hash);
      scalars.fromBytes(nonce, value);
      scalars.invert(inverse, nonce);
      curve.multiplyGenerator(value, value);
      const signature = Buffer.alloc(2 * STARK_NUMBER_BYTES);
      // r mod n; then s = (hash + r·key) / nonce mod n.
      scalars.fromBytes(factor, value);
      scalars.add(sum, factor, zero);
      scalars.toBytes(signature.subarray(0, STARK_NUMBER_BYTES), sum);
      scalars.fromBytes(sum, privateKey);
      scalars.multiply(sum, sum, factor);
      scalars.fromBytes(factor, hash);
      scalars.add(sum, sum, factor);
      scalars.multiply(sum, sum, inverse);
      scalars.toBytes(signature.subarray(STARK_NUMBER_BYTES), sum);
      return signature;
    });
  }

  #use<Result>(action: (parts: Parts) => Result): Result {
    return this.#memory.useAndWipe((bytes) => {
      this.#parts ??= divide(bytes);
      return action(this.#parts);
    });
  }
}

const zero = new Int32Array(LIMBS);

interface Parts {
  readonly curve: StarkCurve;
  readonly numbers: readonly [Limbs, Limbs, Limbs, Limbs];
  /** 32 bytes. */
  readonly value: Buffer;
  readonly key: Buffer;
  readonly chain: Buffer;
  /** HMAC's padded key, then its message. */
  readonly block: Buffer;
}

function divide(bytes: Buffer): Parts {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, CURVE_LIMBS + ORDER_LIMBS);
  const numberAt = (index: number) => words.subarray(CURVE_LIMBS + index * LIMBS).subarray(0, LIMBS);
  const rest = bytes.subarray(words.byteLength);
  const valueAt = (index: number) => rest.subarray(index * STARK_NUMBER_BYTES, (index + 1) * STARK_NUMBER_BYTES);
  return {
    curve: new StarkCurve(words.subarray(0, CURVE_LIMBS)),
    numbers: [numberAt(0), numberAt(1), numberAt(2), numberAt(3)],
    value: valueAt(0),
    key: valueAt(1),
    chain: valueAt(2),
    block: rest.subarray(3 * STARK_NUMBER_BYTES),
  };
}

/** Writes the nonce of RFC 6979 §3.2 into `value`; the order has 252 bits, SHA-256 has 256. */
function writeNonce(parts: Parts, privateKey: Uint8Array, hash: Uint8Array): void {
  const { key, chain, value } = parts;
  key.fill(0);
  chain.fill(1);
  for (const step of [0, 1]) {
    authenticate(parts, key, [chain, Uint8Array.of(step), privateKey, hash]);
    authenticate(parts, chain, [chain]);
  }
  for (;;) {
    authenticate(parts, chain, [chain]);
    for (let index = STARK_NUMBER_BYTES - 1; index >= 0; index -= 1) {
      value[index] = (((chain[index - 1] ?? 0) << 4) | ((chain[index] ?? 0) >> 4)) & 0xff;
    }
    if (isScalar(value)) break;
    authenticate(parts, key, [chain, Uint8Array.of(0)]);
    authenticate(parts, chain, [chain]);
  }
  // Overwrites what the last hash of secrets left in vector registers, which V8 can save to memory.
  sodium.crypto_hash_sha256(chain, ORDER_BYTES);
}

/** HMAC-SHA256 (RFC 2104) with `key` into `target`, all in locked memory. */
function authenticate({ key, block }: Parts, target: Buffer, message: readonly Uint8Array[]): void {
  let end = HMAC_BLOCK_BYTES;
  for (const part of message) {
    block.set(part, end);
    end += part.length;
  }
  pad(block, key, INNER_PAD);
  const digest = block.subarray(HMAC_BLOCK_BYTES, HMAC_BLOCK_BYTES + STARK_NUMBER_BYTES);
  sodium.crypto_hash_sha256(digest, block.subarray(0, end));
  pad(block, key, OUTER_PAD);
  sodium.crypto_hash_sha256(target, block.subarray(0, HMAC_BLOCK_BYTES + STARK_NUMBER_BYTES));
}

function pad(block: Buffer, key: Buffer, byte: number): void {
  for (let index = 0; index < HMAC_BLOCK_BYTES; index += 1) block[index] = (key[index] ?? 0) ^ byte;
}

/** Whether a number is from 1 to the group order less 1, in constant time. */
function isScalar(number: Uint8Array): boolean {
  let borrow = 0;
  let bits = 0;
  for (let index = STARK_NUMBER_BYTES - 1; index >= 0; index -= 1) {
    const byte = number[index] ?? 0;
    borrow = (byte - (ORDER_BYTES[index] ?? 0) + borrow) >> 8;
    bits |= byte;
  }
  return borrow === -1 && bits !== 0;
}
