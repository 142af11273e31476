import { MIN_PART_BYTES } from './forms.ts';
import type { Secret } from './secrets.ts';

/** A part of a form: finding half a key is enough. */
export interface Pattern {
  readonly secret: Secret;
  readonly form: string;
  /** Index of the part. */
  readonly part: number;
  readonly bytes: Buffer;
}

const WORD_BYTES = 4;
/** From a word to its second one: farther than the zeros of a number of 8 bytes. */
const SECOND_WORD = 8;
/** So that most words of memory have a hash without entries. */
const HASHES_PER_ENTRY = 8;
/** Knuth's multiplier, 2^32 / golden ratio; and another odd number. */
const MULTIPLIERS = [0x9e3779b1, 0x85ebca6b] as const;
const NONE = -1;

/** Parts of all forms. Identical ones of one owner are listed under the first form. */
export function patternsOf(secrets: readonly Secret[]): readonly Pattern[] {
  const patterns = new Map<string, Pattern>();
  for (const secret of secrets) {
    for (const form of secret.forms) {
      for (const [part, bytes] of form.parts.entries()) {
        if (bytes.length < MIN_PART_BYTES)
          throw new RangeError(`${form.name} of ${secret.name} is too short to look for.`);
        const key = `${secret.owner} ${bytes.toString('latin1')}`;
        if (!patterns.has(key)) patterns.set(key, { secret, form: form.name, part, bytes });
      }
    }
  }
  return [...patterns.values()];
}

/**
 * Finds thousands of patterns in one pass. Checks only aligned four-byte words: each pattern is
 * indexed under four words at consecutive offsets, one of which is always aligned. Words of numbers
 * and characters are common in memory, so a pattern that is long enough is indexed under pairs of
 * words.
 */
export class PatternIndex {
  readonly patterns: readonly Pattern[];
  /** Length of the longest pattern, bytes. */
  readonly longest: number;
  /** First entry by hash, or NONE. */
  readonly #first: Int32Array;
  /** Bits of a hash, of 32, that {@link #first} does not need. */
  readonly #unusedBits: number;
  /** Per entry: word, its offset, and next entry of the same hash. Four entries a pattern. */
  readonly #words: Int32Array;
  readonly #offsets: Int32Array;
  readonly #next: Int32Array;

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
    // Too many for the arguments of Math.max.
    this.longest = patterns.reduce((longest, { bytes }) => Math.max(longest, bytes.length), 0);
    this.#words = new Int32Array(patterns.length * WORD_BYTES);
    this.#unusedBits = Math.clz32(HASHES_PER_ENTRY * this.#words.length);
    this.#first = new Int32Array(2 ** (32 - this.#unusedBits)).fill(NONE);
    this.#offsets = new Int32Array(this.#words.length);
    this.#next = new Int32Array(this.#words.length);
    for (const [index, { bytes }] of patterns.entries()) {
      const places = bytes.length < SECOND_WORD + 2 * WORD_BYTES - 1 ? [0] : [0, SECOND_WORD];
      const start = selectiveOffset(bytes, places);
      for (let shift = 0; shift < WORD_BYTES; shift += 1) {
        const [word = 0, second] = places.map((place) => bytes.readInt32LE(start + shift + place));
        this.#enter(index * WORD_BYTES + shift, start + shift, word, this.#hash(word, second));
      }
    }
  }

  /**
   * Reports each pattern's start, except for those that end within the first `known` bytes,
   * reported before.
   */
  search(bytes: Buffer, known: number, report: (pattern: Pattern, start: number) => void): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const first = this.#first;
    for (let at = 0; at + WORD_BYTES <= bytes.length; at += WORD_BYTES) {
      const word = view.getInt32(at, true);
      const alone = first[this.#hash(word)] ?? NONE;
      if (alone !== NONE) this.#compareAll(alone, word, at, bytes, known, report);
      if (at + SECOND_WORD + WORD_BYTES > bytes.length) continue;
      const paired = first[this.#hash(word, view.getInt32(at + SECOND_WORD, true))] ?? NONE;
      if (paired !== NONE && paired !== alone) this.#compareAll(paired, word, at, bytes, known, report);
    }
  }

  #enter(entry: number, offset: number, word: number, hash: number): void {
    this.#words[entry] = word;
    this.#offsets[entry] = offset;
    this.#next[entry] = this.#first[hash] ?? NONE;
    this.#first[hash] = entry;
  }

  #hash(word: number, second = 0): number {
    return (Math.imul(word, MULTIPLIERS[0]) ^ Math.imul(second, MULTIPLIERS[1])) >>> this.#unusedBits;
  }

  #compareAll(
    first: number,
    word: number,
    at: number,
    bytes: Buffer,
    known: number,
    report: (pattern: Pattern, start: number) => void,
  ): void {
    for (let entry = first; entry !== NONE; entry = this.#next[entry] ?? NONE) {
      const pattern = this.patterns[Math.floor(entry / WORD_BYTES)];
      if (this.#words[entry] !== word || pattern === undefined) continue;
      const start = at - (this.#offsets[entry] ?? 0);
      if (start + pattern.bytes.length > known && standsAt(pattern.bytes, bytes, start)) report(pattern, start);
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

/** The offset whose words have the fewest zeros, which fill memory. */
function selectiveOffset(bytes: Buffer, places: readonly number[]): number {
  const span = Math.max(...places) + 2 * WORD_BYTES - 1;
  let best = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let offset = 0; offset + span <= bytes.length; offset += 1) {
    let most = 0;
    for (let shift = 0; shift < WORD_BYTES; shift += 1) {
      most = Math.max(most, ...places.map((place) => zerosAt(bytes, offset + shift + place)));
    }
    if (most < min) [best, min] = [offset, most];
  }
  return best;
}

function zerosAt(bytes: Buffer, offset: number): number {
  let zeros = 0;
  for (let index = offset; index < offset + WORD_BYTES; index += 1) if (bytes[index] === 0) zeros += 1;
  return zeros;
}
