import sodium from 'sodium-native';
import { copySecret } from '../vault/secret-bytes.ts';

const NUMBER_BYTES = 32;
const HMAC_BLOCK_BYTES = 64;
/** V ‖ one byte ‖ private key ‖ message hash (RFC 6979 §3.2 d). */
const LONGEST_HMAC_MESSAGE = 3 * NUMBER_BYTES + 1;
const [INNER_PAD, OUTER_PAD] = [0x36, 0x5c];

/** Memory that a {@link NonceGenerator} takes. */
export const NONCE_MEMORY_BYTES = 2 * NUMBER_BYTES + HMAC_BLOCK_BYTES + LONGEST_HMAC_MESSAGE;

/** Nonces of RFC 6979 §3.2 with SHA-256 for a group order of 249 to 256 bits. */
export class NonceGenerator {
  readonly #order: Buffer;
  /** Bits by which a hash is longer than the order. */
  readonly #excessBits: number;
  readonly #key: Buffer;
  readonly #chain: Buffer;
  /** HMAC's padded key, then its message. */
  readonly #block: Buffer;

  /**
   * @param order 32 bytes big-endian
   * @param memory {@link NONCE_MEMORY_BYTES}, as secret as the nonces; the caller wipes it
   */
  constructor(order: Buffer, memory: Buffer) {
    this.#order = order;
    this.#excessBits = Math.clz32(order.readUInt32BE());
    this.#key = memory.subarray(0, NUMBER_BYTES);
    this.#chain = memory.subarray(NUMBER_BYTES, 2 * NUMBER_BYTES);
    this.#block = memory.subarray(2 * NUMBER_BYTES, NONCE_MEMORY_BYTES);
  }

  /**
   * Writes a nonce of 32 bytes, from 1 to the order less 1.
   * @param target in locked memory
   * @param hash 32 bytes, below the order
   */
  generate(target: Uint8Array, privateKey: Uint8Array, hash: Uint8Array): void {
    this.#key.fill(0);
    this.#chain.fill(1);
    for (const step of [0, 1]) {
      this.#authenticate(this.#key, [this.#chain, Uint8Array.of(step), privateKey, hash]);
      this.#authenticate(this.#chain, [this.#chain]);
    }
    for (;;) {
      this.#authenticate(this.#chain, [this.#chain]);
      this.#shift(target);
      if (isScalar(target, this.#order)) break;
      this.#authenticate(this.#key, [this.#chain, Uint8Array.of(0)]);
      this.#authenticate(this.#chain, [this.#chain]);
    }
    // Overwrites what the last hash left in vector registers, which V8 can save to memory.
    sodium.crypto_hash_sha256(this.#chain, this.#order);
  }

  /** Writes the first bits of the chain, as many as the order has. */
  #shift(target: Uint8Array): void {
    for (let index = NUMBER_BYTES - 1; index >= 0; index -= 1) {
      const bits = ((this.#chain[index - 1] ?? 0) << 8) | (this.#chain[index] ?? 0);
      target[index] = (bits >> this.#excessBits) & 0xff;
    }
  }

  /** HMAC-SHA256 (RFC 2104) with the generator's key into `target`, all in locked memory. */
  #authenticate(target: Buffer, message: readonly Uint8Array[]): void {
    const block = this.#block;
    let end = HMAC_BLOCK_BYTES;
    for (const part of message) {
      copySecret(part, block.subarray(end));
      end += part.length;
    }
    this.#pad(INNER_PAD);
    const digest = block.subarray(HMAC_BLOCK_BYTES, HMAC_BLOCK_BYTES + NUMBER_BYTES);
    sodium.crypto_hash_sha256(digest, block.subarray(0, end));
    this.#pad(OUTER_PAD);
    sodium.crypto_hash_sha256(target, block.subarray(0, HMAC_BLOCK_BYTES + NUMBER_BYTES));
  }

  #pad(byte: number): void {
    for (let index = 0; index < HMAC_BLOCK_BYTES; index += 1) this.#block[index] = (this.#key[index] ?? 0) ^ byte;
  }
}

/** Whether a number is from 1 to `order` less 1, in constant time. Both 32 bytes big-endian. */
export function isScalar(number: Uint8Array, order: Uint8Array): boolean {
  let borrow = 0;
  let bits = 0;
  for (let index = NUMBER_BYTES - 1; index >= 0; index -= 1) {
    const byte = number[index] ?? 0;
    borrow = (byte - (order[index] ?? 0) + borrow) >> 8;
    bits |= byte;
  }
  return borrow === -1 && bits !== 0;
}
