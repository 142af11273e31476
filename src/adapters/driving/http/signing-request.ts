import type { Request } from 'express';
import type { z } from 'zod';
import { malformed, notReceived, type Received } from './http-refusal.ts';
import { readJsonBody } from './json-body.ts';
import { checkShape } from './schemas/check-shape.ts';

/** A signing request, single or batch, whose envelope is right. */
export interface SigningRequest<Body> {
  readonly body: Body;
  /** The caller asked for the exact text that gets signed (`?include=payload`). */
  readonly includePayload: boolean;
}

/** Reads and checks all of a signing request but what `data` holds. */
export async function receiveSigningRequest<Body>(
  request: Request,
  schema: z.ZodType<Body>,
): Promise<Received<SigningRequest<Body>>> {
  const json = await readJsonBody(request);
  if (!json.ok) return json;
  const include = request.query['include'];
  if (include !== undefined && include !== 'payload') {
    return notReceived(malformed('include', 'must be payload, given once, or absent (query parameter)'));
  }
  const checked = checkShape(schema, json.value);
  return checked.ok ? { ok: true, value: { body: checked.value, includePayload: include === 'payload' } } : checked;
}
