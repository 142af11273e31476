import { countMemberSteps, countNameSteps } from './member-counts.ts';
import { endOfString, isBeforeColon } from './string-ends.ts';

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
  /** More than 10,000 objects and arrays stand in each other. */
  | { readonly outcome: 'nested-too-deeply' };

/** Work that is done in steps of a fraction of a millisecond each: whoever does it may let others have a turn between two of them. */
export type Steps<Result> = Generator<void, Result>;

/** Far more levels than any request or file has. */
const MOST_LEVELS = 10_000;

/** Names after which a step ends. */
const NAMES_IN_A_STEP = 1000;

/** An object or array that is open at some place of the text, and where in it that place is. */
interface Level {
  /** Null for an array. */
  readonly names: Set<string> | null;
  at: string | number;
}

/** {@link duplicateMemberSteps}, all at once. */
export function findDuplicateMembers(text: string, value: unknown, limit = Number.POSITIVE_INFINITY): DuplicateSearch {
  const steps = duplicateMemberSteps(text, value, limit);
  for (;;) {
    const { done, value: search } = steps.next();
    if (done === true) return search;
  }
}

/**
 * Finds the members that stand twice in one object, in the order of the text. RFC 8259 §4 leaves open which one counts: `JSON.parse` keeps the
 * last and drops the others unseen, other parsers keep the first.
 *
 * No more than `limit` duplicates are listed. A name that stands three times is two of them.
 *
 * @param text one that `JSON.parse` takes
 * @param value what `JSON.parse` makes of it
 */
export function* duplicateMemberSteps(
  text: string,
  value: unknown,
  limit = Number.POSITIVE_INFINITY,
): Steps<DuplicateSearch> {
  // Whoever drops a member has fewer than the text names. Counting is less work than following the text.
  const names = yield* countNameSteps(text);
  if (names === (yield* countMemberSteps(value))) return { outcome: 'searched', duplicates: [] };
  return yield* followText(text, limit);
}

function* followText(text: string, limit: number): Steps<DuplicateSearch> {
  const duplicates: DuplicateMember[] = [];
  const levels: Level[] = [];
  let names = 0;
  for (let at = 0; at < text.length && duplicates.length < limit; at += 1) {
    const character = text[at];
    const level = levels.at(-1);
    if (character === '{') levels.push({ names: new Set(), at: '' });
    else if (character === '[') levels.push({ names: null, at: 0 });
    else if (character === '}' || character === ']') levels.pop();
    else if (character === ',' && typeof level?.at === 'number') level.at += 1;
    else if (character === '"') {
      const end = endOfString(text, at);
      if (level !== undefined && level.names !== null && isBeforeColon(text, end)) {
        const name = nameOf(text, at, end);
        if (level.names.has(name)) duplicates.push({ name, path: pathTo(levels), offset: at });
        level.names.add(name);
        level.at = name;
        names += 1;
        if (names % NAMES_IN_A_STEP === 0) yield;
      }
      at = end;
    }
    if (levels.length > MOST_LEVELS) return { outcome: 'nested-too-deeply' };
  }
  return { outcome: 'searched', duplicates };
}

function nameOf(text: string, begin: number, end: number): string {
  const written = text.slice(begin + 1, end);
  return written.includes('\\') ? JSON.parse(`"${written}"`) : written;
}

/** To the innermost level; its own place in it is the member's. */
function pathTo(levels: readonly Level[]): readonly (string | number)[] {
  return levels.slice(0, -1).map(({ at }) => at);
}
