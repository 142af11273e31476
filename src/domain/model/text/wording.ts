/** Names in a sentence. @example joinNames(['a', 'b', 'c'], 'or') // 'a, b or c' */
export function joinNames(names: readonly string[], word: 'and' | 'or'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(` ${word} `);
}

/** A number with its noun. @example formatCount(2, 'file') // '2 files' */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names that a message lists. */
const MAX_LISTED = 5;

/** The first names, and how many more there are: `a, b, c, d, e and 3 more`. */
export function listSome<Named>(all: readonly Named[], nameOf: (one: Named) => string): string {
  const more = all.length - MAX_LISTED;
  return `${all.slice(0, MAX_LISTED).map(nameOf).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes, rounded down, with one decimal below 100: `8 MiB`, `46.5 GiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const size = bytes / 1024 ** power;
  return `${size < 100 ? Math.floor(size * 10) / 10 : Math.floor(size)} ${UNITS[power]}`;
}
