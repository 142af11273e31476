import bs58 from 'bs58';

/** One way in which a secret can stand in a process's memory. */
export interface Form {
  /** `hex lower`, `hex lower utf-16`, `words of 8 bytes`, `base58 of reversed`. */
  readonly name: string;
  /** What is looked for, each by itself: a secret may be overwritten in part, or broken into lines. */
  readonly parts: readonly Buffer[];
}

/** V8 joins a text that grows by `+=` when it is first read; until then only its beginning, so many characters, lies in one piece. */
const HEAD_CHARACTERS = 12;
/** Fewer bytes could stand in memory by chance. */
export const LEAST_PART_BYTES = 12;

/**
 * What code makes of a secret's bytes without writing it as text, each also of the reversed bytes.
 *
 * - `raw`; `reversed`: the limbs of a BigInt (V8) or of a scalar (libsecp256k1), the least significant first
 * - `words of 4 bytes`, `words of 8 bytes`: each word reversed, as SHA-256 and SHA-512 load a message on a little-endian machine; a secret that begins
 *   `+n` bytes behind a word boundary counts from the next one
 * - `numbers of 2 bytes`: a Uint16Array, and a Latin-1 text that V8 joined with other characters; `numbers of 4 bytes`: an Int32Array; `numbers of 8
 *   bytes`: an array of small integers in V8, or a BigUint64Array
 * - `floats of 4 bytes`: a Float32Array; `floats of 8 bytes`: a Float64Array, and an array in V8 that ever held a fraction
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

/** Texts that code writes a secret as, in one byte a character and in two (`utf-16`), each also of the reversed bytes. */
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
    // V8 writes JSON in pieces, which it joins when the text is first read; a quarter is short enough to lie in one. The text of a Solana key file, of a
    // Buffer in JSON, of String(Uint8Array); the same as other languages write it; JSON.stringify of a Uint8Array.
    ...encodings('numbers with commas', numbers.join(','), 4),
    ...encodings('numbers with commas and blanks', numbers.join(', '), 4),
    ...encodings('numbers with indices', numbers.map((number, index) => `"${index}":${number}`).join(','), 4),
    // A text of one character a byte that is written to a Buffer or a file.
    { name: 'Latin-1 as UTF-8', parts: cut(Buffer.from(secret.toString('latin1'), 'utf8'), 2) },
  ];
}

/** What `formsIn` makes of the bytes, then what it makes of them in reverse. */
function ofBothOrders(secret: Buffer, formsIn: (bytes: Buffer) => readonly Form[]): readonly Form[] {
  const backwards = formsIn(reversed(secret)).map(({ name, parts }) => ({ name: `${name} of reversed`, parts }));
  return [...formsIn(secret), ...backwards];
}

function reversed(bytes: Buffer): Buffer {
  return Buffer.from(bytes).reverse();
}

/** As digits alone, from the last digit to the first, and as util.inspect and OpenSSL write bytes. */
function hexForms(name: string, hex: string): readonly Form[] {
  return [
    ...grownTextForms(name, hex),
    ...grownTextForms(`${name} backwards`, [...hex].reverse().join('')),
    ...encodings(`${name} with blanks`, hex.replaceAll(/..(?=.)/g, '$& '), 4),
    // OpenSSL breaks the line after 15 bytes, which cuts one quarter of four.
    ...encodings(`${name} with colons`, hex.replaceAll(/..(?=.)/g, '$&:'), 4),
  ];
}

/** A text that libraries put together character by character. */
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

/** Cuts at even places only, so that no two-byte character is cut, and what is short not at all. */
function cut(bytes: Buffer, parts: number): readonly Buffer[] {
  if (bytes.length < parts * LEAST_PART_BYTES) return [bytes];
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
  return forms.filter(({ parts }) => parts.every(({ length }) => length >= LEAST_PART_BYTES));
}

function numberForm(name: string, secret: Buffer, write: (half: Buffer) => Buffer): Form {
  return { name, parts: cut(secret, 2).map(write) };
}

/** From the first byte to the last, without the zeros around them: so it stands in numbers of either byte order, and in V8's small integers. */
function numbersOf(bytes: Buffer, size: number): Buffer {
  const numbers = Buffer.alloc((bytes.length - 1) * size + 1);
  for (const [index, byte] of bytes.entries()) numbers[size * index] = byte;
  return numbers;
}

/**
 * The characters of base64 and base64url in which no neighbour has a part, for a secret that begins at the first, second or third byte of a group of
 * three, inside of a longer text such as PEM.
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
