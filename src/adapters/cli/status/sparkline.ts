/** Levels, the first for zero. */
const BLOCKS = '▁▂▃▄▅▆▇█';
const ASCII_LEVELS = '_.:-=+*#';

/**
 * A line of characters as high as the values, relative to the largest; only zero has the lowest.
 * @param ascii for terminals without UTF-8
 */
export function sparkline(values: readonly number[], ascii: boolean): string {
  const levels = ascii ? ASCII_LEVELS : BLOCKS;
  const max = Math.max(0, ...values);
  return values.map((value) => levels[toLevel(value, max, levels.length)] ?? '').join('');
}

function toLevel(value: number, max: number, levels: number): number {
  return value <= 0 ? 0 : Math.max(1, Math.round((value / max) * (levels - 1)));
}

/**
 * Whether the locale of the terminal is not UTF-8 (POSIX: LC_ALL, LC_CTYPE, LANG). Without a
 * locale, as in containers, the terminal counts as UTF-8.
 */
export function isAsciiTerminal(environment: { readonly [name: string]: string | undefined }): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'] || 'UTF-8';
  return !/utf-?8/i.test(locale);
}
