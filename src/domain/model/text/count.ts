/** A number with its noun. @example formatCount(2, 'file') // '2 files' */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
