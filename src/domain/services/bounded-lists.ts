/** Maximum entries of a list, unless stated otherwise. */
export const MAX_LISTED = 20;

/**
 * Maximum length of all entries of lists in one record, as JSON text. The rest of the record, such
 * as digests and the caller's name, fits in the remaining 10 KiB of its line.
 */
export const MAX_CHARACTERS = 55_000;

/** Bounded lists, and in `more` how many entries each omits. */
export type BoundedLists<Entries> = { readonly [Name in keyof Entries]: readonly Entries[Name][] } & {
  readonly more: { readonly [Name in keyof Entries]: number };
};

/** The first entries, and the count of all. */
export class Listing<Entry> {
  readonly #entries: Entry[] = [];
  readonly #max: number;
  #count = 0;

  constructor(entries: Iterable<Entry> = [], max = MAX_LISTED) {
    this.#max = max;
    for (const entry of entries) this.add(entry);
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get count(): number {
    return this.#count;
  }

  add(entry: Entry): void {
    if (this.#entries.length < this.#max) this.#entries.push(entry);
    this.#count += 1;
  }

  /** Adds the entries of another listing. */
  append(listing: Listing<Entry>): void {
    for (const entry of listing.entries) this.add(entry);
    this.#count += listing.count - listing.entries.length;
  }

  /** Omits the last entry, which is still counted. */
  shorten(): void {
    this.#entries.pop();
  }
}

/** The lists, with the number of omitted entries of each. */
export function toBoundedLists<Entries extends object>(
  listings: { readonly [Name in keyof Entries]: Listing<Entries[Name]> },
): BoundedLists<Entries> {
  const all = Object.entries<Listing<unknown>>(listings);
  const more = Object.fromEntries(all.map(([name, { entries, count }]) => [name, count - entries.length]));
  return { ...Object.fromEntries(all.map(([name, { entries }]) => [name, entries])), more } as BoundedLists<Entries>;
}

/** Shortens the longest of these lists until all take at most {@link MAX_CHARACTERS} as JSON. */
export function fitTogether(listings: readonly Listing<unknown>[]): void {
  const sizes = listings.map((listing) => ({ listing, size: sizeOf(listing.entries) }));
  let total = sizes.reduce((sum, { size }) => sum + size, 0);
  while (total > MAX_CHARACTERS) {
    const longest = sizes.reduce((left, right) => (right.size > left.size ? right : left));
    const omitted = sizeOf(longest.listing.entries.slice(-1));
    longest.listing.shorten();
    longest.size -= omitted;
    total -= omitted;
  }
}

function sizeOf(entries: readonly unknown[]): number {
  return entries.reduce<number>((sum, entry) => sum + JSON.stringify(entry).length + 1, 0);
}
