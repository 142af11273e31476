/** In a pattern: any run of characters. */
export const WILDCARD = '*';

/** A subject to match; a string is one. */
export interface ReadableText {
  readonly length: number;
  charCodeAt(index: number): number;
}

/**
 * A case-sensitive pattern in which `*` matches any run of characters, empty ones and `/` included.
 * Matching is linear in the text whatever the pattern: each piece between wildcards is taken at its
 * first occurrence, without backtracking.
 */
export class WildcardPattern {
  readonly #first: string;
  readonly #middle: readonly Piece[];
  readonly #last: string | null;

  constructor(pattern: string) {
    const [first = '', ...others] = pattern.split(WILDCARD);
    this.#first = first;
    this.#last = others.pop() ?? null;
    this.#middle = others.filter((piece) => piece !== '').map((piece) => new Piece(piece));
  }

  matches(text: ReadableText): boolean {
    const [first, last] = [this.#first, this.#last];
    if (last === null) return text.length === first.length && matchesAt(text, first, 0);

    const end = text.length - last.length;
    if (end < first.length || !matchesAt(text, first, 0) || !matchesAt(text, last, end)) return false;

    let from = first.length;
    for (const piece of this.#middle) {
      const pieceEnd = piece.endWithin(text, from, end);
      if (pieceEnd === null) return false;
      from = pieceEnd;
    }
    return true;
  }
}

/**
 * A piece to find in one pass (Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977).
 */
class Piece {
  readonly #text: string;
  /** For each prefix, the length of its longest proper border. */
  readonly #borders: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const borders = [0];
    for (let at = 1; at < text.length; at += 1) {
      borders.push(extendMatch(text.charCodeAt(at), borders[at - 1] ?? 0, text, borders));
    }
    this.#borders = borders;
  }

  /** Index after its first occurrence between two indices; null for none. */
  endWithin(text: ReadableText, from: number, to: number): number | null {
    let matched = 0;
    for (let at = from; at < to; at += 1) {
      matched = extendMatch(text.charCodeAt(at), matched, this.#text, this.#borders);
      if (matched === this.#text.length) return at + 1;
    }
    return null;
  }
}

/** Matched length after reading one more character. */
function extendMatch(read: number, before: number, piece: string, borders: readonly number[]): number {
  let matched = before;
  while (matched > 0 && piece.charCodeAt(matched) !== read) matched = borders[matched - 1] ?? 0;
  return piece.charCodeAt(matched) === read ? matched + 1 : 0;
}

function matchesAt(text: ReadableText, piece: string, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) {
    if (text.charCodeAt(at + index) !== piece.charCodeAt(index)) return false;
  }
  return true;
}
