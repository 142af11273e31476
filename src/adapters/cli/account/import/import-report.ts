import { toAccountName } from '../../../../domain/model/account.ts';
import type { AddedAccount, AdditionOutcome, CredentialListing } from '../../../../ports/credential-editor.ts';
import { accountWarnings } from '../../warnings.ts';
import type { ImportFile, PositionedSpec } from './import-file.ts';
import type { ImportIssue } from './import-row.ts';

/** An account that was, or would be, imported, with its number in the file. */
export type ImportedAccount = AddedAccount & { readonly row: number };

type ExistingAccount = Omit<CredentialListing['accounts'][number], 'key'>;

/** Warnings for keys that another account, existing or imported, has as well. */
export function sharedKeyWarnings(
  accounts: readonly ImportedAccount[],
  others: readonly ExistingAccount[],
): readonly string[] {
  const byKey = new Map<string, ExistingAccount[]>();
  for (const account of others) {
    if (account.publicKey !== null) addTo(byKey, account.publicKey, account);
  }
  return accounts.flatMap((account) => {
    const { publicKey } = account;
    if (publicKey === null) return [];
    const warnings = accountWarnings({ ...account, publicKey }, byKey.get(publicKey) ?? []);
    addTo(byKey, publicKey, account);
    return warnings.map((warning) => `${toAccountName(account)}: ${warning}`);
  });
}

function addTo(byKey: Map<string, ExistingAccount[]>, publicKey: string, account: ExistingAccount): void {
  const sharing = byKey.get(publicKey);
  if (sharing === undefined) byKey.set(publicKey, [account]);
  else sharing.push(account);
}

/** Result of an import. */
export interface ImportReport {
  /** In the file's order; empty if there are issues. */
  readonly accounts: readonly ImportedAccount[];
  /** Accounts that existed already. */
  readonly skipped: readonly SkippedAccount[];
  /** In the file's order. */
  readonly issues: readonly ImportIssue[];
  readonly warnings: readonly string[];
  /** Paths of the imported key files, without duplicates. */
  readonly keyFiles: readonly string[];
}

/** An account that existed already. */
export interface SkippedAccount {
  readonly row: number;
  readonly platformId: string;
  readonly accountId: string;
}

/** Combines the issues of the file with the outcome of the configuration. */
export function importReport(
  { specs, issues }: ImportFile,
  outcome: AdditionOutcome,
  others: CredentialListing['accounts'],
): ImportReport {
  const more = outcome.outcome === 'refused' ? outcome.issues : [];
  const all = [...issues, ...more.map(({ index, field, message }) => toIssue(specs[index], field, message))];
  if (all.length > 0) {
    const sorted = all.toSorted((left, right) => (left.row ?? 0) - (right.row ?? 0));
    return { accounts: [], skipped: [], issues: sorted, warnings: [], keyFiles: [] };
  }
  const made = outcome.outcome === 'refused' ? [] : outcome.accounts;
  const results = specs.map(({ row, spec }, index) => ({ row, spec, account: made[index] ?? null }));
  const accounts = results.flatMap(({ row, account }) => (account === null ? [] : [{ row, ...account }]));
  const taken = results.filter(({ account }) => account !== null);
  return {
    accounts,
    skipped: results
      .filter(({ account }) => account === null)
      .map(({ row, spec: { platformId, accountId } }) => ({ row, platformId, accountId })),
    issues: [],
    warnings: sharedKeyWarnings(accounts, others),
    keyFiles: [...new Set(taken.flatMap(({ spec: { origin } }) => (origin.kind === 'file' ? [origin.file] : [])))],
  };
}

/** The report as JSON. */
export function reportDocument(report: ImportReport, file: string, dryRun: boolean): object {
  const { accounts, skipped, issues, warnings, keyFiles } = report;
  return {
    file,
    dryRun,
    imported: dryRun ? 0 : accounts.length,
    accounts,
    skipped,
    faults: issues,
    cautions: warnings,
    keyFiles,
  };
}

/** Field names of the port → of the file. */
function toIssue(position: PositionedSpec | undefined, field: string, message: string): ImportIssue {
  return { row: position?.row ?? null, line: position?.line ?? null, field, message };
}
