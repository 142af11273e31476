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
const HASH_BITS = 22;
/** Knuth's multiplier, 2^32 / golden ratio. */
const MULTIPLIER = 0x9e3779b1;
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
 * indexed under four words at consecutive offsets, one of which is always aligned.
 */
export class PatternIndex {
  readonly patterns: readonly Pattern[];
  /** Length of the longest pattern, bytes. */
  readonly longest: number;
  /** First entry by hash, or NONE. */
  readonly #first = new Int32Array(2 ** HASH_BITS).fill(NONE);
  /** Per entry: word, its offset, and next entry of the same hash. Four entries a pattern. */
  readonly #words: Int32Array;
  readonly #offsets: Int32Array;
  readonly #next: Int32Array;

  constructor(patterns: readonly Pattern[]) {
    this.patterns = patterns;
    // Too many for the arguments of Math.max.
    this.longest = patterns.reduce((longest, { bytes }) => Math.max(longest, bytes.length), 0);
    this.#words = new Int32Array(patterns.length * WORD_BYTES);
    this.#offsets = new Int32Array(this.#words.length);
    this.#next = new Int32Array(this.#words.length);
    for (const [index, { bytes }] of patterns.entries()) {
      const start = selectiveOffset(bytes);
      for (let shift = 0; shift < WORD_BYTES; shift += 1) this.#enter(index * WORD_BYTES + shift, bytes, start + shift);
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
      const entry = first[hashOf(word)] ?? NONE;
      if (entry !== NONE) this.#compareAll(entry, word, at, bytes, known, report);
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

/** The offset whose four words have the fewest zeros, which fill memory. */
function selectiveOffset(bytes: Buffer): number {
  let best = 0;
  let min = Number.POSITIVE_INFINITY;
  for (let offset = 0; offset + 2 * WORD_BYTES - 1 <= bytes.length; offset += 1) {
    let most = 0;
    for (let shift = 0; shift < WORD_BYTES; shift += 1) most = Math.max(most, zerosAt(bytes, offset + shift));
    if (most < min) [best, min] = [offset, most];
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
