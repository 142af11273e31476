import { type Finding, fail, warning } from '../../adapters/machine/finding.ts';
import { MemoryLockError } from '../../adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../domain/model/errors.ts';

type Findings = Finding | readonly Finding[];

/** A check, and name and remedy of its finding if it throws. */
export type NamedCheck = readonly [name: string, check: () => Findings | Promise<Findings>, remedy?: string];

/** Findings of all checks in order. A check that throws becomes a finding. */
export async function runChecks(checks: readonly NamedCheck[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...[await complete(check)].flat());
  return findings;
}

async function complete([name, check, remedy = 'The service does not start until this is fixed.']: NamedCheck) {
  try {
    return await check();
  } catch (error) {
    // Another check explains it.
    if (error instanceof MemoryLockError) {
      const message = 'not checked: memory for the key could not be locked';
      return warning(name, message, 'Fix memlock first, then run this again.');
    }
    if (error instanceof OperatorError) return fail(name, error.message, remedy);
    // Without the message of an unexpected error: it may hold a secret.
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return fail(
      name,
      `this check failed unexpectedly${code}`,
      'Report this as a bug, with the output of this command.',
    );
  }
}
