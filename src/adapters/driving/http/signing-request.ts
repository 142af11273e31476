import type { Request } from 'express';
import type { z } from 'zod';
import type { JsonValue } from '../../../domain/model/json.ts';
import { accepted, refused } from '../../../domain/model/outcome.ts';
import { TimeSlice } from '../../../domain/services/time-slice.ts';
import type { Clock } from '../../../ports/clock.ts';
import { malformed, type Received } from './http-refusal.ts';
import { parseBody, parseShortBody } from './json-body.ts';
import { queryRefusal } from './query-parameters.ts';
import { checkShape } from './schemas/check-shape.ts';

/** Query parameters of the endpoints that sign and verify. */
export const SIGNING_PARAMETERS: readonly string[] = ['include'];

/** A signing request, single or batch, whose envelope is right. */
export interface SigningRequest<Body> {
  readonly body: Body;
  /** The caller asked for the exact text that gets signed (`?include=payload`). */
  readonly includePayload: boolean;
}

async function parseInSlices(body: Buffer, clock: Clock): Promise<Received<JsonValue>> {
  const slice = new TimeSlice(clock);
  const json = await parseBody(body, slice);
  await slice.yieldIfExpired();
  return json;
}

/** Checks all of a signing request but what `data` holds; a long one takes turns with other requests. */
export async function readSigningRequest<Body>(
  request: Request,
  body: Received<Buffer>,
  schema: z.ZodType<Body>,
  clock: Clock,
): Promise<Received<SigningRequest<Body>>> {
  if (!body.ok) return body;
  const json = parseShortBody(body.value) ?? (await parseInSlices(body.value, clock));
  if (!json.ok) return json;
  const refusal = queryRefusal(request.query, SIGNING_PARAMETERS);
  if (refusal !== null) return refused(refusal);
  const include = request.query['include'];
  if (include !== undefined && include !== 'payload') {
    return refused(malformed('include', 'must be payload or absent (query parameter)'));
  }
  const checked = checkShape(schema, json.value);
  return checked.ok ? accepted({ body: checked.value, includePayload: include === 'payload' }) : checked;
}
