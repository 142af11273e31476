import type { Request } from 'express';
import type { Issue } from '../../domain/model/errors.ts';
import { type JsonStep, jsonPath } from '../../domain/model/json.ts';
import { type Refusal, type Refused, refused } from '../../domain/model/refusal.ts';
import { refuse } from './refusals.ts';

/** Maximum number of issues in one response. */
export const MAX_ISSUES = 20;

/** An issue in a request's body. */
export interface BodyError {
  /** Names and indices to the field; empty for the whole body. */
  readonly steps: readonly PropertyKey[];
  /** Never contains a value that was sent. */
  readonly message: string;
}

/** Refuses a body: one issue per path, at most {@link MAX_ISSUES}. */
export function refuseBody(errors: readonly BodyError[]): Refused {
  const issues = dedupeByPath(errors.map(({ steps, message }) => ({ path: formatPath(steps), message })));
  return refused(refuse('InvalidDataFormat', { issues: issues.slice(0, MAX_ISSUES) }));
}

/** The first issue of each path. */
function dedupeByPath(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ path }, index) => issues.findIndex((other) => other.path === path) === index);
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

/**
 * Rejects unknown and repeated query parameters.
 * @param known parameters of the endpoint
 * @returns `INVALID_DATA_FORMAT` with an issue for each (its path is empty if the name is unsafe to
 * repeat), or null
 */
export function checkQueryParameters(query: Request['query'], known: readonly string[]): Refusal | null {
  const issues = Object.entries(query).flatMap(([name, value]) => findIssues(name, value, known));
  return issues.length === 0
    ? null
    : refuse('InvalidDataFormat', { issues: dedupeByPath(issues.slice(0, MAX_ISSUES)) });
}

function findIssues(name: string, value: unknown, known: readonly string[]): readonly Issue[] {
  if (!known.includes(name)) {
    const path = SHOWN_NAME.test(name) ? name : '';
    return [{ path, message: `is not a query parameter of this endpoint${formatKnown(known)}; remove it` }];
  }
  if (typeof value === 'string') return [];
  return [{ path: name, message: 'is repeated; send it at most once' }];
}

function formatKnown(names: readonly string[]): string {
  return names.length === 0 ? ', which has none' : ` (${names.join(', ')})`;
}
