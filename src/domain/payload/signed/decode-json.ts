import type { JsonValue } from '../../model/json.ts';
import type { SignedValue } from '../../model/payload.ts';
import { MAX_JSON_LEVELS } from '../json-text.ts';
import {
  MAX_NUMBER_LENGTH,
  MAX_SIGNED_LENGTH,
  MAX_SIGNED_VALUES,
  type Spellings,
  toSignedNumber,
  UniqueNames,
} from './signed-value.ts';

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const BLANKS = /[ \t\n\r]*/y;
/** Escapes, and characters that JSON allows in part only. */
const NOT_PLAIN = /[\\\p{Cc}]/u;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** Thrown inside this file: readers could disagree on the text, or it is not JSON. */
class UndecodableError extends Error {}

/**
 * Decodes an object or array as every JSON reader must (RFC 8259), numbers exactly. Undefined for
 * text on which readers could disagree: invalid JSON, names that are not {@link UniqueNames},
 * lone surrogates, numbers longer than {@link MAX_NUMBER_LENGTH}, more than 64 levels,
 * {@link MAX_SIGNED_VALUES} or {@link MAX_SIGNED_LENGTH}.
 */
export function decodeJson(text: string, spellings: Spellings): SignedValue | undefined {
  if (text.length > MAX_SIGNED_LENGTH || !text.isWellFormed()) return undefined;
  try {
    return new JsonReader(text, spellings).read();
  } catch (error) {
    if (error instanceof UndecodableError) return undefined;
    throw error;
  }
}

/** Reads one text from left to right. */
class JsonReader {
  readonly #text: string;
  readonly #spellings: Spellings;
  #at = 0;
  #values = 0;

  constructor(text: string, spellings: Spellings) {
    this.#text = text;
    this.#spellings = spellings;
  }

  read(): SignedValue {
    this.#skipBlanks();
    const first = this.#text[this.#at];
    if (first !== '{' && first !== '[') throw new UndecodableError();
    const value = this.#readValue(0);
    if (this.#at !== this.#text.length) throw new UndecodableError();
    return value;
  }

  /** The value at the current position and the blanks after it. */
  #readValue(depth: number): SignedValue {
    this.#values += 1;
    if (this.#values > MAX_SIGNED_VALUES || depth >= MAX_JSON_LEVELS) throw new UndecodableError();
    const value = this.#readUnspaced(depth);
    this.#skipBlanks();
    return value;
  }

  #readUnspaced(depth: number): SignedValue {
    const first = this.#text[this.#at];
    if (first === '"') return this.#readString();
    if (first === '{') return this.#readObject(depth);
    if (first === '[') return this.#readArray(depth);
    for (const [literal, value] of LITERALS) {
      if (!this.#text.startsWith(literal, this.#at)) continue;
      this.#at += literal.length;
      return value;
    }
    const number = this.#match(NUMBER);
    if (number === '' || number.length > MAX_NUMBER_LENGTH) throw new UndecodableError();
    return toSignedNumber(number);
  }

  #readObject(depth: number): ReadonlyMap<string, SignedValue> {
    const members = new Map<string, SignedValue>();
    const names = new UniqueNames(this.#spellings);
    if (this.#isEmptyAfterOpening('}')) return members;
    for (;;) {
      if (this.#text[this.#at] !== '"') throw new UndecodableError();
      const name = this.#readString();
      if (!names.add(name)) throw new UndecodableError();
      this.#skipBlanks();
      this.#expect(':');
      members.set(name, this.#readValue(depth + 1));
      if (this.#hasEnded('}')) return members;
    }
  }

  #readArray(depth: number): readonly SignedValue[] {
    const elements: SignedValue[] = [];
    if (this.#isEmptyAfterOpening(']')) return elements;
    for (;;) {
      elements.push(this.#readValue(depth + 1));
      if (this.#hasEnded(']')) return elements;
    }
  }

  #isEmptyAfterOpening(closing: string): boolean {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#text[this.#at] !== closing) return false;
    this.#at += 1;
    return true;
  }

  /** Takes the closing bracket, or a comma before the next value. */
  #hasEnded(closing: string): boolean {
    if (this.#text[this.#at] === closing) {
      this.#at += 1;
      return true;
    }
    this.#expect(',');
    return false;
  }

  /** Takes a character and the blanks after it. */
  #expect(character: string): void {
    if (this.#text[this.#at] !== character) throw new UndecodableError();
    this.#at += 1;
    this.#skipBlanks();
  }

  #readString(): string {
    const begin = this.#at;
    let end = this.#text.indexOf('"', begin + 1);
    while (end !== -1 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (this.#text[begin] !== '"' || end === -1) throw new UndecodableError();
    this.#at = end + 1;
    const quoted = this.#text.slice(begin, end + 1);
    if (NOT_PLAIN.test(quoted)) return parseString(quoted);
    return quoted.slice(1, -1);
  }

  /** Whether an odd number of backslashes precedes the quote. */
  #isEscaped(quote: number): boolean {
    let at = quote - 1;
    while (this.#text[at] === '\\') at -= 1;
    return (quote - at) % 2 === 0;
  }

  #skipBlanks(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (code <= 0x20) this.#match(BLANKS);
  }

  /** Takes what the sticky expression matches here. */
  #match(expression: RegExp): string {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

/** @param quoted a JSON string with its quotes */
function parseString(quoted: string): string {
  try {
    const text: string = JSON.parse(quoted);
    if (text.isWellFormed()) return text;
  } catch {
    // Reported below, like a lone surrogate.
  }
  throw new UndecodableError();
}

/**
 * A value of the caller's `data` for policies; undefined where {@link decodeJson} rejects its text.
 */
export function toSignedValue(value: JsonValue, spellings: Spellings): SignedValue | undefined {
  if (typeof value === 'number') return toSignedNumber(JSON.stringify(value));
  return typeof value === 'object' && value !== null ? decodeJson(JSON.stringify(value), spellings) : value;
}
