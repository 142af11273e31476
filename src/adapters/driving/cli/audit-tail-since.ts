const SPAN = /^(\d{1,6})([smhdw])$/;
const UNIT_MS: { readonly [unit: string]: number } = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Reads what `--since` may say: an ISO 8601 date or time, UTC where it names no offset, as the file has it; or a span before now such as `15m`.
 * @param now milliseconds since 1970
 * @returns ISO 8601 UTC with milliseconds; null for anything else
 */
export function parseSince(text: string, now: number): string | null {
  const span = SPAN.exec(text);
  if (span !== null) return isoTime(now - Number(span[1]) * (UNIT_MS[span[2] ?? ''] ?? 0));
  const time = TIME.exec(text);
  if (time === null) return null;
  const [, day = '', hour = '00', minute = '00', second = '00', fraction = '', offset = 'Z'] = time;
  // A day that its month does not have would be taken for one of the next month.
  if (isoTime(Date.parse(`${day}T00:00:00Z`))?.startsWith(day) !== true) return null;
  return isoTime(Date.parse(`${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0')}${offset}`));
}

function isoTime(milliseconds: number): string | null {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}
