import { LEAST_PART_BYTES } from './forms.ts';
import type { Secret } from './secrets.ts';

/** A part of a secret's form: half a key is worth finding, and the half finds the whole. */
export interface Pattern {
  readonly secret: Secret;
  /** Name of the form. */
  readonly form: string;
  /** Which part, from 0. */
  readonly part: number;
  readonly bytes: Buffer;
}

const WORD_BYTES = 4;
const HASH_BITS = 18;
/** Knuth's multiplier, 2^32 divided by the golden ratio. */
const MULTIPLIER = 0x9e3779b1;
const NONE = -1;

/** The parts of all forms of secrets. What is the same for two forms of one owner's secrets stands under the first. */
export function patternsOf(secrets: readonly Secret[]): readonly Pattern[] {
  const patterns = new Map<string, Pattern>();
  for (const secret of secrets) {
    for (const form of secret.forms) {
      for (const [part, bytes] of form.parts.entries()) {
        if (bytes.length < LEAST_PART_BYTES)
          throw new RangeError(`${form.name} of ${secret.name} is too short to look for.`);
        const key = `${secret.owner} ${bytes.toString('latin1')}`;
        if (!patterns.has(key)) patterns.set(key, { secret, form: form.name, part, bytes });
      }
    }
  }
  return [...patterns.values()];
}

/**
 * Finds thousands of patterns in one pass. It looks at one word in four bytes: each pattern is listed under four words that stand in it one byte apart,
 * because wherever it lies, one of them lies on a multiple of four.
 */
export class PatternIndex {
  readonly patterns: readonly Pattern[];
  /** Bytes of the longest pattern. */
  readonly longest: number;
  /** For each hash of a word the first entry, or NONE. */
  readonly #first = new Int32Array(2 ** HASH_BITS).fill(NONE);
  /** For each entry: its word, where that stands in its pattern, and the next entry with the same hash. Four entries make a pattern. */
  readonly #words: Int32Array;
  readonly #offsets: Int32Array;
  readonly #next: Int32Array;

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
    this.longest = Math.max(0, ...patterns.map(({ bytes }) => bytes.length));
    this.#words = new Int32Array(patterns.length * WORD_BYTES);
    this.#offsets = new Int32Array(this.#words.length);
    this.#next = new Int32Array(this.#words.length);
    for (const [index, { bytes }] of patterns.entries()) {
      const start = tellingOffset(bytes);
      for (let shift = 0; shift < WORD_BYTES; shift += 1) this.#enter(index * WORD_BYTES + shift, bytes, start + shift);
    }
  }

  /**
   * Tells where in `bytes` each pattern begins, but for those that end within the first `known` bytes: they were told when these were the end of the
   * bytes before.
   */
  search(bytes: Buffer, known: number, tell: (pattern: Pattern, start: number) => void): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const first = this.#first;
    for (let at = 0; at + WORD_BYTES <= bytes.length; at += WORD_BYTES) {
      const word = view.getInt32(at, true);
      const entry = first[hashOf(word)] ?? NONE;
      if (entry !== NONE) this.#compareAll(entry, word, at, bytes, known, tell);
    }
  }

  #enter(entry: number, bytes: Buffer, offset: number): void {
    const word = bytes.readInt32LE(offset);
    const hash = hashOf(word);
    this.#words[entry] = word;
    this.#offsets[entry] = offset;
    this.#next[entry] = this.#first[hash] ?? NONE;
    this.#first[hash] = entry;
  }

  #compareAll(
    first: number,
    word: number,
    at: number,
    bytes: Buffer,
    known: number,
    tell: (pattern: Pattern, start: number) => void,
  ): void {
    for (let entry = first; entry !== NONE; entry = this.#next[entry] ?? NONE) {
      const pattern = this.patterns[Math.floor(entry / WORD_BYTES)];
      if (this.#words[entry] !== word || pattern === undefined) continue;
      const start = at - (this.#offsets[entry] ?? 0);
      if (start + pattern.bytes.length > known && standsAt(pattern.bytes, bytes, start)) tell(pattern, start);
    }
  }
}

function standsAt(pattern: Buffer, bytes: Buffer, start: number): boolean {
  if (start < 0 || start + pattern.length > bytes.length) return false;
  for (let index = 0; index < pattern.length; index += 1) {
    if (pattern[index] !== bytes[start + index]) return false;
  }
  return true;
}

/** Where the first of the four words of a pattern stands: those with the fewest zeros, of which memory is full. */
function tellingOffset(bytes: Buffer): number {
  let best = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let offset = 0; offset + 2 * WORD_BYTES - 1 <= bytes.length; offset += 1) {
    let most = 0;
    for (let shift = 0; shift < WORD_BYTES; shift += 1) most = Math.max(most, zerosAt(bytes, offset + shift));
    if (most < fewest) [best, fewest] = [offset, most];
  }
  return best;
}

function zerosAt(bytes: Buffer, offset: number): number {
  let zeros = 0;
  for (let index = offset; index < offset + WORD_BYTES; index += 1) if (bytes[index] === 0) zeros += 1;
  return zeros;
}

function hashOf(word: number): number {
  return Math.imul(word, MULTIPLIER) >>> (32 - HASH_BITS);
}
