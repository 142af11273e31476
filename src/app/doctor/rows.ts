import type { DoctorFinding } from '../../adapters/cli/cli-context.ts';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import type { Outcome } from '../../adapters/machine/outcome.ts';
import { fail, warning } from '../../adapters/machine/outcome.ts';
import { MemoryLockError } from '../../adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { memoizeByObject } from '../../domain/model/memoize.ts';
import type { Settings } from '../settings/settings.ts';

type Outcomes = Outcome | readonly Outcome[];

/** A check of `doctor`. */
export interface Row<Context> {
  /** Its name: lower case with hyphens. */
  readonly check: string;
  /** Earlier checks on which it relies: if one failed or was skipped, this one is skipped. */
  readonly needs?: readonly string[];
  /**
   * Finds nothing, one thing or several.
   * @throws OperatorError for a failure
   */
  run(context: Context): Outcomes | Promise<Outcomes>;
  /** What to do if it throws; by default, that the service does not start. */
  readonly remedy?: string;
}

/** What checks of a configuration get. */
export interface Configured {
  readonly settings: Settings;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * The content of the credentials file, read once.
 * @throws OperatorError if it is invalid
 */
export const readContent = memoizeByObject(async ({ settings }: Configured) => {
  const { credentialsFile, production } = settings;
  return (await readCredentialsFile(credentialsFile, { production })).content;
});

/** Findings of all rows in order. A row that throws becomes a finding. */
export async function runRows<Context>(
  rows: readonly Row<Context>[],
  context: Context,
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  const unreliable = new Set<string>();
  for (const row of rows) {
    const { check, needs = [] } = row;
    const outcomes = needs.some((need) => unreliable.has(need)) ? null : [await complete(row, context)].flat();
    const found = (outcomes ?? []).map((outcome) =>
      typeof outcome === 'string' ? ({ state: 'ok', message: outcome, remedy: null } as const) : outcome,
    );
    if (outcomes === null || found.some(({ state }) => state === 'fail')) unreliable.add(check);
    findings.push(...found.map((outcome) => ({ check, ...outcome })));
  }
  return findings;
}

async function complete<Context>(row: Row<Context>, context: Context): Promise<Outcomes> {
  try {
    return await row.run(context);
  } catch (error) {
    if (error instanceof MemoryLockError) {
      return warning('not checked: memory for the key could not be locked', 'Fix memlock first, then run this again.');
    }
    if (error instanceof OperatorError) {
      return fail(error.message, row.remedy ?? 'The service does not start until this is fixed.');
    }
    // Without the message of an unexpected error: it may hold a secret.
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return fail(`this check failed unexpectedly${code}`, 'Report this as a bug, with the output of this command.');
  }
}
