import { type Issue, onePerPath } from '../../../domain/model/issue.ts';
import { type JsonStep, jsonPath } from '../../../domain/payload/json-path.ts';

/** Most faults that one answer names. */
export const MAX_ISSUES = 20;

/** One thing that is wrong in a request's body. */
export interface BodyFault {
  /** Names and indices from the body to the place; empty for the whole of it. */
  readonly steps: readonly PropertyKey[];
  /** What is wrong there; never a value that was sent. */
  readonly message: string;
}

/** The faults as callers see them, in their order: each place once, at most {@link MAX_ISSUES} of them. */
export function bodyIssues(faults: readonly BodyFault[]): readonly Issue[] {
  return onePerPath(faults.map(({ steps, message }) => ({ path: pathOf(steps), message }))).slice(0, MAX_ISSUES);
}

/** `requests[3].platformId`; the first step has no dot before it. */
function pathOf(steps: readonly PropertyKey[]): string {
  return jsonPath('', steps.map(toStep)).replace(/^\./, '');
}

function toStep(step: PropertyKey): JsonStep {
  return typeof step === 'number' ? step : String(step);
}
