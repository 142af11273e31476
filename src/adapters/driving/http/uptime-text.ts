/** A duration as `<h>h <m>m <s>s`, in whole seconds. Hours go on beyond 24. @example uptimeText(90_061_000) // '25h 1m 1s' */
export function uptimeText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
}
