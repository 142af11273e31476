let written = Number.NaN;
let text = '';

/**
 * A moment as ISO 8601 UTC with milliseconds, as records and answers have it. The text of the last moment is kept: under load, many signatures share a millisecond.
 * @param milliseconds since 1970-01-01T00:00:00Z
 * @throws RangeError for what is no moment, as Date does
 */
export function timeText(milliseconds: number): string {
  if (milliseconds !== written) {
    text = new Date(milliseconds).toISOString();
    written = milliseconds;
  }
  return text;
}
