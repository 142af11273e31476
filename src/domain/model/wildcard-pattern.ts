/** In a pattern: any run of characters. */
export const WILDCARD = '*';

/** What a pattern is matched against; a string is such a text. */
export interface ReadableText {
  readonly length: number;
  charCodeAt(index: number): number;
}

/**
 * A text in which `*` stands for any run of characters, none and `/` included, and every other character for itself, in this case. Whatever the pattern is, matching
 * reads each character of the text at most once and takes time in proportion to the text: what stands between two stars is taken where it is found first, and sought without going back.
 */
export class WildcardPattern {
  readonly #first: string;
  readonly #middle: readonly SoughtText[];
  /** Null where the pattern has no star. */
  readonly #last: string | null;

  constructor(pattern: string) {
    const [first = '', ...others] = pattern.split(WILDCARD);
    this.#first = first;
    this.#last = others.pop() ?? null;
    this.#middle = others.filter((piece) => piece !== '').map((piece) => new SoughtText(piece));
  }

  matches(text: ReadableText): boolean {
    const [first, last] = [this.#first, this.#last];
    if (last === null) return text.length === first.length && standsAt(text, first, 0);

    const end = text.length - last.length;
    if (end < first.length || !standsAt(text, first, 0) || !standsAt(text, last, end)) return false;

    let from = first.length;
    for (const piece of this.#middle) {
      const behind = piece.endWithin(text, from, end);
      if (behind === null) return false;
      from = behind;
    }
    return true;
  }
}

/** A text to be found in others in one pass (Knuth, Morris and Pratt, "Fast pattern matching in strings", 1977). */
class SoughtText {
  readonly #text: string;
  /** Of each beginning, how many of its first characters are also its last ones, not counting itself. */
  readonly #borders: readonly number[];

  constructor(text: string) {
    this.#text = text;
    const borders = [0];
    for (let at = 1; at < text.length; at += 1) {
      borders.push(matchedWith(text.charCodeAt(at), borders[at - 1] ?? 0, text, borders));
    }
    this.#borders = borders;
  }

  /** Index behind its first place between two indices; null when it has none there. */
  endWithin(text: ReadableText, from: number, to: number): number | null {
    let matched = 0;
    for (let at = from; at < to; at += 1) {
      matched = matchedWith(text.charCodeAt(at), matched, this.#text, this.#borders);
      if (matched === this.#text.length) return at + 1;
    }
    return null;
  }
}

/** How many characters of a sought text match when one more was read, where so many did before. */
function matchedWith(read: number, before: number, sought: string, borders: readonly number[]): number {
  let matched = before;
  while (matched > 0 && sought.charCodeAt(matched) !== read) matched = borders[matched - 1] ?? 0;
  return sought.charCodeAt(matched) === read ? matched + 1 : 0;
}

function standsAt(text: ReadableText, piece: string, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) {
    if (text.charCodeAt(at + index) !== piece.charCodeAt(index)) return false;
  }
  return true;
}
