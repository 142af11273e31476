import type { z } from 'zod';
import type { JsonValue } from '../../../../domain/model/json.ts';
import { accepted, refused } from '../../../../domain/model/outcome.ts';
import { invalidDataFormat } from '../../../../domain/model/refusal.ts';
import { type BodyFault, bodyIssues, MAX_ISSUES } from '../body-issues.ts';
import type { Received } from '../http-refusal.ts';

/** Checks a request's body against its schema. The refusal names each field, at most 20 of them, and never a value. */
export function checkShape<Body>(schema: z.ZodType<Body>, body: JsonValue): Received<Body> {
  const result = schema.safeParse(body);
  if (result.success) return accepted(result.data);
  return refused(invalidDataFormat(bodyIssues(result.error.issues.slice(0, MAX_ISSUES).flatMap(toFaults))));
}

function toFaults(issue: z.core.$ZodIssue): readonly BodyFault[] {
  if (issue.code !== 'unrecognized_keys') return [{ steps: issue.path, message: issue.message }];
  return issue.keys
    .slice(0, MAX_ISSUES)
    .map((key) => ({ steps: [...issue.path, key], message: 'is no field of this request; remove it' }));
}
