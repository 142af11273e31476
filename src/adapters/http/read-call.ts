import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import type { JsonValue } from '../../domain/model/json.ts';
import { accepted, type Outcome, refused } from '../../domain/model/refusal.ts';
import {
  duplicateKeySteps,
  findDuplicateKeys,
  hasInexactNumber,
  inexactNumberSteps,
  type Steps,
} from '../../domain/model/text/lossless-json.ts';
import type { Clock } from '../../ports/clock.ts';
import { malformed } from './refusals.ts';
import { checkQueryParameters, MAX_ISSUES, refuseBody } from './request-issues.ts';
import type { Call, Endpoint, SigningBody } from './route.ts';
import { checkShape } from './schemas/requests.ts';

const NOT_JSON = 'must be a JSON object (RFC 8259) in UTF-8 without a byte order mark';

const DUPLICATE_KEY = 'is a duplicate key: parsers disagree on which value wins, so send it once';

/** Bytes. Longer bodies yield before they are parsed, since many can arrive at once. */
const MAX_SYNC_BYTES = 16_384;

/** Fast path of {@link parseBody} for short, valid bodies; null for others. */
function parseShortBody(body: Buffer): Outcome<JsonValue> | null {
  if (body.length > MAX_SYNC_BYTES || !isUtf8(body)) return null;
  const text = body.toString('utf8');
  const parsed = parseText(text);
  const isLossless = parsed.ok && findDuplicateKeys(text, 1)?.length === 0 && !hasInexactNumber(text);
  return isLossless ? parsed : null;
}

/**
 * Parses a body exactly as sent; rejects invalid UTF-8 and duplicate keys. Numbers beyond a double
 * become infinity, which the data check rejects by name. Yields between the steps of a long body.
 */
async function parseBody(body: Buffer, clock: Clock): Promise<Outcome<JsonValue>> {
  const slice = new TimeSlice(clock);
  if (body.length === 0) return refused(malformed('', `is empty; it ${NOT_JSON}`));
  if (body.length > MAX_SYNC_BYTES) await slice.yieldNow();
  if (!isUtf8(body)) return refused(malformed('', `is not valid UTF-8; it ${NOT_JSON}`));
  const text = body.toString('utf8');
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  await slice.yieldIfExpired();
  const duplicates = await runInSlices(duplicateKeySteps(text, MAX_ISSUES), slice);
  if (duplicates === null) return refused(malformed('', 'is nested too deeply'));
  if (duplicates.length > 0) {
    return refuseBody(duplicates.map(({ name, path }) => ({ steps: [...path, name], message: DUPLICATE_KEY })));
  }
  const exact = await runInSlices(inexactNumberSteps(text), slice);
  const json = exact === text ? parsed : parseText(exact);
  await slice.yieldIfExpired();
  return json;
}

async function runInSlices<Result>(steps: Steps<Result>, slice: TimeSlice): Promise<Result> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await slice.yieldIfExpired();
  return step.value;
}

function parseText(text: string): Outcome<JsonValue> {
  try {
    return accepted(JSON.parse(text));
  } catch {
    return refused(malformed('', `is not valid JSON; it ${NOT_JSON}`));
  }
}

/** Validates query and body, except the content of `data`; yields for long bodies. */
export async function readCall(
  { signing, queryParameters = [], readQuery }: Endpoint,
  { query }: Request,
  bytes: Buffer,
  clock: Clock,
): Promise<Outcome<Pick<Call<unknown, SigningBody | undefined>, 'query' | 'body'>>> {
  const json = signing === undefined ? null : (parseShortBody(bytes) ?? (await parseBody(bytes, clock)));
  if (json?.ok === false) return json;
  const refusal = checkQueryParameters(query, queryParameters);
  if (refusal !== null) return refused(refusal);
  const read = await readQuery?.(query);
  if (read?.ok === false) return read;
  const body = signing === undefined || json === null ? null : checkShape(signing.schema, json.value);
  if (body?.ok === false) return body;
  return accepted({ query: read?.value, body: body?.value });
}
