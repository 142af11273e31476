import { bs58 } from '../harness/base58.ts';

/** A representation of a secret in memory. */
export interface Form {
  /** `hex lower`, `hex lower utf-16`, `words of 8 bytes`, `base58 of reversed`. */
  readonly name: string;
  /** Sought separately, as a secret may be partly overwritten or split into lines. */
  readonly parts: readonly Buffer[];
}

/** V8 flattens a text grown by `+=` on first read; until then only this prefix is contiguous. */
export const HEAD_CHARACTERS = 12;
/** Shorter ones could occur by chance. */
export const MIN_PART_BYTES = 12;

/**
 * Binary forms of a secret, also reversed.
 *
 * - `raw`; `reversed`: limbs of a BigInt (V8) or scalar (libsecp256k1), least significant first
 * - `words of 4 bytes`, `words of 8 bytes`: byte-swapped, as SHA-256 and SHA-512 load messages;
 * `+n`: unaligned by n bytes
 * - `numbers of 2 bytes`: Uint16Array, and two-byte V8 strings; `4 bytes`: Int32Array; `8 bytes`:
 * V8 small integers, BigUint64Array
 * - `floats of 4 bytes`: Float32Array; `8 bytes`: Float64Array, V8 double arrays
 */
export function byteFormsOf(secret: Buffer): readonly Form[] {
  return [
    { name: 'raw', parts: cut(secret, 2) },
    { name: 'reversed', parts: cut(reversed(secret), 2) },
    ...ofBothOrders(secret, (bytes) => [
      ...[4, 8].flatMap((size) => wordForms(bytes, size)),
      ...[2, 4, 8].map((size) => numberForm(`numbers of ${size} bytes`, bytes, (half) => numbersOf(half, size))),
      numberForm('floats of 4 bytes', bytes, (half) => Buffer.from(Float32Array.from(half).buffer)),
      numberForm('floats of 8 bytes', bytes, (half) => Buffer.from(Float64Array.from(half).buffer)),
    ]),
  ];
}

/** Text forms of a secret, one-byte and two-byte (`utf-16`), also reversed. */
export function textFormsOf(secret: Buffer): readonly Form[] {
  return ofBothOrders(secret, textFormsInOrder);
}

function textFormsInOrder(secret: Buffer): readonly Form[] {
  const hex = secret.toString('hex');
  const numbers = [...secret];
  return [
    ...hexForms('hex lower', hex),
    ...hexForms('hex upper', hex.toUpperCase()),
    ...base64Forms(secret),
    ...grownTextForms('base58', bs58.encode(secret)),
    ...encodings('decimal', decimal(secret), 2),
    // V8 flattens JSON on first read; a quarter fits one piece. Solana key file, Buffer in JSON,
    // String(Uint8Array); other languages' spacing; JSON.stringify of a Uint8Array.
    ...encodings('numbers with commas', numbers.join(','), 4),
    ...encodings('numbers with commas and blanks', numbers.join(', '), 4),
    ...encodings('numbers with indices', numbers.map((number, index) => `"${index}":${number}`).join(','), 4),
    // Latin-1 written to a Buffer or file.
    { name: 'Latin-1 as UTF-8', parts: cut(Buffer.from(secret.toString('latin1'), 'utf8'), 2) },
  ];
}

/** Forms of the bytes and of the reversed bytes. */
function ofBothOrders(secret: Buffer, formsIn: (bytes: Buffer) => readonly Form[]): readonly Form[] {
  const backwards = formsIn(reversed(secret)).map(({ name, parts }) => ({ name: `${name} of reversed`, parts }));
  return [...formsIn(secret), ...backwards];
}

function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes).reverse();
}

/** Digits alone, reversed digits, and util.inspect's and OpenSSL's formats. */
function hexForms(name: string, hex: string): readonly Form[] {
  return [
    ...grownTextForms(name, hex),
    ...grownTextForms(`${name} backwards`, [...hex].reverse().join('')),
    ...encodings(`${name} with blanks`, hex.replaceAll(/..(?=.)/g, '$& '), 4),
    // OpenSSL breaks lines after 15 bytes, inside one quarter.
    ...encodings(`${name} with colons`, hex.replaceAll(/..(?=.)/g, '$&:'), 4),
  ];
}

/** A text built character by character. */
function grownTextForms(name: string, text: string): readonly Form[] {
  return encodings(name, text, 2).map((form) => {
    const bytesOfCharacter = form.name === name ? 1 : 2;
    const head = Buffer.concat(form.parts).subarray(0, HEAD_CHARACTERS * bytesOfCharacter);
    return { name: form.name, parts: [head, ...form.parts] };
  });
}

function encodings(name: string, text: string, parts: number): readonly Form[] {
  return [
    { name, parts: cut(Buffer.from(text, 'latin1'), parts) },
    { name: `${name} utf-16`, parts: cut(Buffer.from(text, 'utf16le'), parts) },
  ];
}

/** At even offsets, to keep two-byte characters whole; short ones stay whole. */
function cut(bytes: Buffer, parts: number): readonly Buffer[] {
  if (bytes.length < parts * MIN_PART_BYTES) return [bytes];
  const length = 2 * Math.ceil(bytes.length / parts / 2);
  return Array.from({ length: parts }, (_, part) => bytes.subarray(part * length, (part + 1) * length));
}

function wordForms(secret: Buffer, size: number): readonly Form[] {
  const forms = Array.from({ length: size }, (_, offset) => {
    const start = (size - offset) % size;
    const end = start + size * Math.floor((secret.length - start) / size);
    const words = Buffer.from(secret.subarray(start, end));
    if (size === 4) words.swap32();
    else words.swap64();
    return { name: `words of ${size} bytes${offset === 0 ? '' : ` +${offset}`}`, parts: cut(words, 2) };
  });
  return forms.filter(({ parts }) => parts.every(({ length }) => length >= MIN_PART_BYTES));
}

function numberForm(name: string, secret: Buffer, write: (half: Buffer) => Buffer): Form {
  return { name, parts: cut(secret, 2).map(write) };
}

/** Without surrounding zeros, to match either byte order and V8's small integers. */
function numbersOf(bytes: Buffer, size: number): Buffer {
  const numbers = Buffer.alloc((bytes.length - 1) * size + 1);
  for (const [index, byte] of bytes.entries()) numbers[size * index] = byte;
  return numbers;
}

/**
 * base64 and base64url characters unaffected by neighbours, for each of three alignments inside a
 * longer text such as PEM.
 */
function base64Forms(secret: Buffer): readonly Form[] {
  return [0, 1, 2].flatMap((offset) => {
    const group = Buffer.concat([Buffer.alloc(offset), secret, Buffer.alloc(2)]);
    const first = Math.ceil((8 * offset) / 6);
    const end = Math.floor((8 * (offset + secret.length)) / 6);
    return (['base64', 'base64url'] as const).flatMap((encoding) =>
      encodings(`${encoding}${offset === 0 ? '' : ` +${offset}`}`, group.toString(encoding).slice(first, end), 2),
    );
  });
}

function decimal(bigEndian: Buffer): string {
  return BigInt(`0x${bigEndian.toString('hex')}`).toString();
}
