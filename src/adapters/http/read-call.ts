import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { z } from 'zod';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import { type JsonStep, type JsonValue, jsonPath } from '../../domain/model/json.ts';
import { accepted, type Outcome, type Refused, refused } from '../../domain/model/refusal.ts';
import { duplicateKeySteps, inexactNumberSteps, type Steps } from '../../domain/model/text/lossless-json.ts';
import type { Clock } from '../../ports/clock.ts';
import { SMALL_BODY_BYTES } from './limits.ts';
import { malformed, refuseRequest } from './refusals.ts';
import type { Call, Endpoint, SigningBody } from './route.ts';

const NOT_JSON = 'must be a JSON object (RFC 8259) in UTF-8 without a byte order mark';

const DUPLICATE_KEY = 'is a duplicate key: parsers disagree on which value wins, so send it once';

/** Maximum number of issues in one response. */
const MAX_ISSUES = 20;

/**
 * Parses a body exactly as sent; rejects invalid UTF-8 and duplicate keys. Numbers beyond a double
 * become infinity, which the data check rejects by name. Yields between the steps of long work.
 */
async function parseBody(body: Buffer, clock: Clock): Promise<Outcome<JsonValue>> {
  const slice = new TimeSlice(clock);
  if (body.length === 0) return refused(malformed('', `is empty; it ${NOT_JSON}`));
  // Many can arrive at once.
  if (body.length > SMALL_BODY_BYTES) await slice.yieldNow();
  if (!isUtf8(body)) return refused(malformed('', `is not valid UTF-8; it ${NOT_JSON}`));
  const text = body.toString('utf8');
  const parsed = parseText(text);
  if (!parsed.ok) return parsed;
  if (slice.expired) await slice.yieldNow();
  const duplicates = await runInSlices(duplicateKeySteps(text, MAX_ISSUES), slice);
  if (duplicates === null) return refused(malformed('', 'is nested too deeply'));
  if (duplicates.length > 0) {
    return refuseFields(duplicates.map(({ name, path }) => ({ steps: [...path, name], message: DUPLICATE_KEY })));
  }
  const exact = await runInSlices(inexactNumberSteps(text), slice);
  const json = exact === text ? parsed : parseText(exact);
  if (slice.expired) await slice.yieldNow();
  return json;
}

async function runInSlices<Result>(steps: Steps<Result>, slice: TimeSlice): Promise<Result> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) if (slice.expired) await slice.yieldNow();
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
  { signing, query: parameters }: Endpoint,
  { query }: Request,
  bytes: Buffer,
  clock: Clock,
): Promise<Outcome<Pick<Call<unknown, SigningBody | undefined>, 'query' | 'body'>>> {
  const json = signing === undefined ? null : await parseBody(bytes, clock);
  if (json?.ok === false) return json;
  const read = readQuery(query, parameters);
  if (!read.ok) return read;
  const body = signing === undefined || json === null ? null : checkShape(signing.schema, json.value);
  if (body?.ok === false) return body;
  return accepted({ query: read.value, body: body?.value });
}

/** Validates a query or body. The refusal names at most 20 fields and no values. */
function checkShape<Shape>(schema: z.ZodType<Shape>, given: unknown): Outcome<Shape> {
  const result = schema.safeParse(given);
  if (result.success) return accepted(result.data);
  return refuseFields(result.error.issues.slice(0, MAX_ISSUES).flatMap(toFieldIssues));
}

function toFieldIssues(issue: z.core.$ZodIssue): readonly FieldIssue[] {
  if (issue.code !== 'unrecognized_keys') return [{ steps: issue.path, message: issue.message }];
  return issue.keys
    .slice(0, MAX_ISSUES)
    .map((key) => ({ steps: [...issue.path, key], message: 'is an unknown field; remove it' }));
}

/** An issue in a query or body. */
interface FieldIssue {
  /** Names and indices to the field; empty for all of it. */
  readonly steps: readonly PropertyKey[];
  /** Never contains a value that was sent. */
  readonly message: string;
}

/** Refuses a query or body: the first issue of each path, at most {@link MAX_ISSUES}. */
function refuseFields(found: readonly FieldIssue[]): Refused {
  const issues = found
    .map(({ steps, message }) => ({ path: formatPath(steps), message }))
    .filter(({ path }, index, all) => all.findIndex((other) => other.path === path) === index);
  return refused(refuseRequest('InvalidDataFormat', { issues: issues.slice(0, MAX_ISSUES) }));
}

/** `requests[3].platformId`, without a leading dot. */
function formatPath(steps: readonly PropertyKey[]): string {
  return jsonPath('', steps.map(toStep)).replace(/^\./, '');
}

function toStep(step: PropertyKey): JsonStep {
  return typeof step === 'number' ? step : String(step);
}

/** Names that are safe to repeat in a response. */
const SHOWN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/;

const NONE = z.object({});

/**
 * Validates query parameters, if there are any. An unknown or repeated one is an issue; its path is
 * empty if the name is unsafe to repeat.
 */
function readQuery(query: Request['query'], parameters = NONE): Outcome<unknown> {
  const given = Object.entries(query);
  if (given.length === 0) return accepted({});
  const known = Object.keys(parameters.shape);
  const issues = given.flatMap(([name, value]) => findIssues(name, value, known)).slice(0, MAX_ISSUES);
  return issues.length === 0 ? checkShape(parameters, query) : refuseFields(issues);
}

function findIssues(name: string, value: unknown, known: readonly string[]): readonly FieldIssue[] {
  if (!known.includes(name)) {
    const steps = SHOWN_NAME.test(name) ? [name] : [];
    return [{ steps, message: `is not a query parameter of this endpoint${formatKnown(known)}; remove it` }];
  }
  if (typeof value === 'string') return [];
  return [{ steps: [name], message: 'is repeated; send it at most once' }];
}

function formatKnown(names: readonly string[]): string {
  return names.length === 0 ? ', which has none' : ` (${names.join(', ')})`;
}
