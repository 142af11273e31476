import type { Outcome } from '../domain/model/outcome.ts';
import type { Refusal } from '../domain/model/refusal.ts';
import { StartError } from './start-error.ts';

/** Takes what a start can't go on without. @throws StartError that names what is wrong, and where */
export function assertDone(outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  throw new StartError(explain(outcome.refusal), { cause: outcome.refusal.cause });
}

function explain({ message, details }: Refusal): string {
  const issues = Array.isArray(details['issues']) ? details['issues'] : [];
  const lines = issues.map(({ path, message: what }) => `  ${path === '' ? '' : `${path}: `}${what}`);
  const heading = typeof details['path'] === 'string' ? `${details['path']} can not be loaded:` : message;
  return [heading, ...lines].join('\n');
}
