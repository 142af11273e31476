import { type JSONVisitor, type ParseOptions, visit } from 'jsonc-parser';
import { countMembers, countNames } from './member-counts.ts';

const STRICT_JSON: ParseOptions = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };

/** A member whose name stood in the same object before. */
export interface DuplicateMember {
  /** Its name, with its escapes decoded: `"\u0061"` is `a`. */
  readonly name: string;
  /** Names and indices from the root of the text to the object that holds it; empty for the root itself. */
  readonly path: readonly (string | number)[];
  /** Where the repeated name stands, in UTF-16 code units from the start of the text. */
  readonly offset: number;
}

/** What a search for duplicate members came to. */
export type DuplicateSearch =
  | { readonly outcome: 'searched'; readonly duplicates: readonly DuplicateMember[] }
  /** Objects and arrays stand in each other deeper than the parser, which calls itself for each level, can follow: thousands of levels. */
  | { readonly outcome: 'nested-too-deeply' };

/**
 * Finds the members that stand twice in one object, in the order of the text. RFC 8259 §4 leaves open which one counts: `JSON.parse` keeps the
 * last and drops the others unseen, other parsers keep the first.
 *
 * No more than `limit` duplicates are listed. A name that stands three times is two of them.
 *
 * @param text one that `JSON.parse` takes
 * @param value what `JSON.parse` makes of it
 */
export function findDuplicateMembers(text: string, value: unknown, limit = Number.POSITIVE_INFINITY): DuplicateSearch {
  // Whoever drops a member has fewer than the text names. Counting is less work than following the text, and no request has a turn meanwhile.
  if (countNames(text) === countMembers(value)) return { outcome: 'searched', duplicates: [] };
  const duplicates: DuplicateMember[] = [];
  const open: Set<string>[] = [];
  const visitor: JSONVisitor = {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectEnd: () => {
      open.pop();
    },
    onObjectProperty: (name, offset, _length, _line, _character, pathSupplier) => {
      const seen = open.at(-1);
      if (seen?.has(name) && duplicates.length < limit) duplicates.push({ name, path: pathSupplier(), offset });
      seen?.add(name);
    },
  };
  try {
    visit(text, visitor, STRICT_JSON);
  } catch (error) {
    if (error instanceof RangeError) return { outcome: 'nested-too-deeply' };
    throw error;
  }
  return { outcome: 'searched', duplicates };
}
