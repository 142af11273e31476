/** Maximum entries of a list, unless stated otherwise. */
export const MAX_LISTED = 20;

/**
 * Maximum length of all entries of lists in one record, as JSON text. The rest of the record, such
 * as digests and the caller's name, fits in the remaining 10 KiB of its line.
 */
export const MAX_CHARACTERS = 55_000;

/** The first entries, and the count of all. */
interface List<Entry> {
  readonly entries: Entry[];
  readonly count: number;
}

type Lists = { readonly [list: string]: List<unknown> };

/** The entries of each list, and in `more` how many it omits. */
type BoundedLists<Group extends Lists> = {
  readonly [Name in keyof Group]: Group[Name] extends List<infer Entry> ? readonly Entry[] : never;
} & { readonly more: { readonly [Name in keyof Group]: number } };

/** The first things as entries of a list. */
export function listFirst<Thing, Entry>(
  things: readonly Thing[],
  toEntry: (thing: Thing) => Entry,
  max = MAX_LISTED,
): List<Entry> {
  return { entries: things.slice(0, max).map(toEntry), count: things.length };
}

/** Shortens the longest of all lists until they take at most {@link MAX_CHARACTERS} as JSON. */
export function boundLists<Groups extends { readonly [group: string]: Lists }>(
  groups: Groups,
): { readonly [Name in keyof Groups]: BoundedLists<Groups[Name]> } {
  const sizes = Object.values(groups)
    .flatMap((lists) => Object.values(lists))
    .map(({ entries }) => ({ entries, size: sizeOf(entries) }));
  while (sizes.reduce((sum, { size }) => sum + size, 0) > MAX_CHARACTERS) {
    const longest = sizes.reduce((left, right) => (right.size > left.size ? right : left));
    longest.size -= sizeOf([longest.entries.pop()]);
  }
  return mapMembers(groups, (lists) => ({
    ...mapMembers(lists, ({ entries }) => entries),
    more: mapMembers(lists, ({ entries, count }) => count - entries.length),
  })) as { readonly [Name in keyof Groups]: BoundedLists<Groups[Name]> };
}

function mapMembers<Value, Result>(members: { readonly [name: string]: Value }, map: (value: Value) => Result) {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(value)]));
}

function sizeOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + JSON.stringify(entry).length + 1, 0);
}
