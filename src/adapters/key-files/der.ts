import { MalformedSecretError } from './secret-text.ts';

const LONG_FORM = 0x80;
const SHORTEST_LONG_LENGTH = 0x80;
const SHORTEST_TWO_BYTE_LENGTH = 0x100;

/** DER tags in private keys (X.690 §8). */
export const DER_TAG = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  sequence: 0x30,
  /** `[0]`, constructed. */
  context0: 0xa0,
  /** `[1]`, constructed. */
  context1: 0xa1,
  /** `[1]`, primitive: implicitly tagged string. */
  primitive1: 0x81,
} as const;

/** Reads consecutive DER elements (X.690 §10) as views. Minimal lengths, up to 65535. */
export class DerReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Content of the next element. @throws MalformedSecretError on another tag or truncated input */
  read(tag: number): Buffer {
    const content = this.readOptional(tag);
    if (content === undefined) throw malformed();
    return content;
  }

  /** Like {@link read}; undefined on another tag or at the end. */
  readOptional(tag: number): Buffer | undefined {
    if (this.#bytes[this.#position] !== tag) return undefined;
    this.#position += 1;
    const length = this.#readLength();
    const content = this.#bytes.subarray(this.#position, this.#position + length);
    if (content.length !== length) throw malformed();
    this.#position += length;
    return content;
  }

  /** @throws MalformedSecretError on trailing bytes */
  end(): void {
    if (this.#position !== this.#bytes.length) throw malformed();
  }

  #readLength(): number {
    const first = this.#readByte();
    if (first < LONG_FORM) return first;
    if (first === LONG_FORM + 1) return assertMin(SHORTEST_LONG_LENGTH, this.#readByte());
    if (first === LONG_FORM + 2) return assertMin(SHORTEST_TWO_BYTE_LENGTH, this.#readByte() * 256 + this.#readByte());
    throw malformed();
  }

  #readByte(): number {
    const byte = this.#bytes[this.#position];
    if (byte === undefined) throw malformed();
    this.#position += 1;
    return byte;
  }
}

function assertMin(minimum: number, length: number): number {
  if (length < minimum) throw malformed();
  return length;
}

function malformed(): MalformedSecretError {
  return new MalformedSecretError('the key in its PEM block is malformed DER; export the key again');
}
