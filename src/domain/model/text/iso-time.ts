const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

let formattedTime = Number.NaN;
let formatted = '';

/**
 * Formats milliseconds since 1970-01-01T00:00:00Z as ISO 8601 UTC with milliseconds. Caches the
 * last one: under load many signatures share a millisecond.
 * @throws RangeError for an invalid time
 */
export function formatTime(milliseconds: number): string {
  if (milliseconds !== formattedTime) {
    formatted = new Date(milliseconds).toISOString();
    formattedTime = milliseconds;
  }
  return formatted;
}

/**
 * Parses `YYYY-MM-DDTHH:MM:SSZ`, optionally with `.mmm` (RFC 3339 §5.6, UTC only), into
 * milliseconds since 1970-01-01T00:00:00Z; null for other text and impossible dates.
 */
export function parseIsoTime(text: string): number | null {
  if (!UTC_TIME.test(text)) return null;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return null;
  // Some engines turn 30 February into March.
  const iso = new Date(time).toISOString();
  return iso === text || iso.replace('.000Z', 'Z') === text ? time : null;
}
