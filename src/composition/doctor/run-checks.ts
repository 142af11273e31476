import { type Finding, fail } from '../../machine/finding.ts';

type Findings = Finding | readonly Finding[];

/** A check and the name under which it stands when it breaks. */
export type NamedCheck = readonly [name: string, check: () => Findings | Promise<Findings>];

/** All findings of all checks, in their order. A check that breaks is a finding itself, and does not hide what the others found. */
export async function runChecks(checks: readonly NamedCheck[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of checks) findings.push(...[await complete(name, check)].flat());
  return findings;
}

/** The error's message is left out: of an error that nobody foresaw, nobody knows what stands in it. */
async function complete(name: string, check: NamedCheck[1]): Promise<Findings> {
  try {
    return await check();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return fail(
      name,
      `this could not be checked${code}`,
      'Report it as a fault of this program, with the output of this command.',
    );
  }
}
