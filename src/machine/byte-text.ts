const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A number of bytes for people, rounded down: `8 MiB`. */
export function byteText(bytes: number): string {
  if (bytes === Number.POSITIVE_INFINITY) return 'any amount';
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  return `${Math.floor(bytes / 1024 ** power)} ${UNITS[power]}`;
}
