import { isUtf8 } from 'node:buffer';
import type { JsonValue } from '../../../domain/model/json.ts';
import { accepted, refused } from '../../../domain/model/outcome.ts';
import { invalidDataFormat } from '../../../domain/model/refusal.ts';
import type { TimeSlice } from '../../../domain/services/time-slice.ts';
import { duplicateMemberSteps, type Steps } from '../../../json-text/duplicate-members.ts';
import { holdsInexactNumber, inexactNumberSteps } from '../../../json-text/inexact-numbers.ts';
import { certainlyStandOnce } from '../../../json-text/names-stand-once.ts';
import { bodyIssues, MAX_ISSUES } from './body-issues.ts';
import { malformed, type Received } from './http-refusal.ts';

const NOT_JSON = 'must be a JSON object (RFC 8259) in UTF-8 without a byte order mark';

const TWICE = 'stands twice; parsers disagree on which one counts, so send it once';

/**
 * A longer body yields before it is parsed, since many can arrive at once. Bytes; shorter ones are
 * parsed in a fraction of a millisecond.
 */
const MOST_BYTES_AT_ONCE = 16_384;

/**
 * A body as JSON, as {@link parseBody} has it, where it is short and nothing is wrong with it, as nearly all are: at once, without a wait between its steps. Null for all others.
 */
export function parseShortBody(body: Buffer): Received<JsonValue> | null {
  if (body.length > MOST_BYTES_AT_ONCE || !isUtf8(body)) return null;
  const text = body.toString('utf8');
  const parsed = parseText(text);
  return parsed.ok && certainlyStandOnce(text, parsed.value) && !holdsInexactNumber(text) ? parsed : null;
}

/**
 * A body as JSON, exactly as it was sent: a byte that is no UTF-8 is refused, never replaced, and a member that stands twice in one object is refused,
 * never dropped. A number that no double holds is read as infinity, as `JSON.parse` reads `1e400`:
 * the check of the data refuses it with the field's name.
 * @param slice of a long body, between whose steps others run
 */
export async function parseBody(body: Buffer, slice: TimeSlice): Promise<Received<JsonValue>> {
  if (body.length === 0) return refused(malformed('', `is empty; it ${NOT_JSON}`));
  if (body.length > MOST_BYTES_AT_ONCE) await slice.yieldNow();
  if (!isUtf8(body)) return refused(malformed('', `holds bytes that are not UTF-8; it ${NOT_JSON}`));
  const text = body.toString('utf8');
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  await slice.yieldIfExpired();
  const unique = await withoutDuplicates(text, parsed.value, slice);
  return unique.ok ? withoutInexactNumbers(text, unique, slice) : unique;
}

async function withoutInexactNumbers(
  text: string,
  parsed: Received<JsonValue>,
  slice: TimeSlice,
): Promise<Received<JsonValue>> {
  const marked = await inSlices(inexactNumberSteps(text), slice);
  return marked === text ? parsed : parseText(marked);
}

async function inSlices<Result>(steps: Steps<Result>, slice: TimeSlice): Promise<Result> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await slice.yieldIfExpired();
  return step.value;
}

function parseText(text: string): Received<JsonValue> {
  try {
    return accepted(JSON.parse(text));
  } catch {
    return refused(malformed('', `is not valid JSON; it ${NOT_JSON}`));
  }
}

async function withoutDuplicates(text: string, value: JsonValue, slice: TimeSlice): Promise<Received<JsonValue>> {
  const search = await inSlices(duplicateMemberSteps(text, value, MAX_ISSUES), slice);
  if (search.outcome === 'nested-too-deeply') return refused(malformed('', 'is nested too deeply'));
  if (search.duplicates.length === 0) return accepted(value);
  const faults = search.duplicates.map(({ name, path }) => ({ steps: [...path, name], message: TWICE }));
  return refused(invalidDataFormat(bodyIssues(faults)));
}
