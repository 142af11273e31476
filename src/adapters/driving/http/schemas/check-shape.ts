import type { z } from 'zod';
import type { Issue } from '../../../../domain/model/issue.ts';
import type { JsonValue } from '../../../../domain/model/json.ts';
import { invalidDataFormat } from '../../../../domain/model/refusal.ts';
import { type JsonStep, jsonPath } from '../../../../domain/payload/json-path.ts';
import { notReceived, type Received } from '../http-refusal.ts';

/** Most faults that one answer names. */
const MAX_ISSUES = 20;

/** Checks a request's body against its schema. The refusal names each field, at most 20 of them, and never a value. */
export function checkShape<Body>(schema: z.ZodType<Body>, body: JsonValue): Received<Body> {
  const result = schema.safeParse(body);
  if (result.success) return { ok: true, value: result.data };
  const issues = onePerPath(result.error.issues.slice(0, MAX_ISSUES).flatMap(toIssues));
  return notReceived(invalidDataFormat(issues.slice(0, MAX_ISSUES)));
}

function toIssues(issue: z.core.$ZodIssue): readonly Issue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
  return issue.keys
    .slice(0, MAX_ISSUES)
    .map((key) => ({ path: pathOf([...issue.path, key]), message: 'is no field of this request; remove it' }));
}

/** `requests[3].platformId`; the first step has no dot before it. */
function pathOf(steps: readonly PropertyKey[]): string {
  return jsonPath('', steps.map(toStep)).replace(/^\./, '');
}

function toStep(step: PropertyKey): JsonStep {
  return typeof step === 'number' ? step : String(step);
}

function onePerPath(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ path }, index) => issues.findIndex((other) => other.path === path) === index);
}
