import type { AdditionOutcome, CredentialListing } from '../../../../ports/credential-editor.ts';
import type { ImportFault } from './import-row.ts';
import type { ImportFile, PlacedWish } from './read-import-file.ts';
import { type ImportedAccount, sharedKeyCautions } from './shared-key-cautions.ts';

/** What came of an import. */
export interface ImportReport {
  /** In the order of the file; empty when anything is wrong. */
  readonly accounts: readonly ImportedAccount[];
  /** Accounts that were there already. */
  readonly skipped: readonly SkippedAccount[];
  /** In the order of the file. */
  readonly faults: readonly ImportFault[];
  readonly cautions: readonly string[];
  /** Paths of the key files whose keys were taken, each once. */
  readonly keyFiles: readonly string[];
}

/** An account that was there already. */
export interface SkippedAccount {
  readonly row: number;
  readonly platformId: string;
  readonly accountId: string;
}

/** What a file and the configuration say to it, put together. */
export function importReport(
  { wishes, faults }: ImportFile,
  outcome: AdditionOutcome,
  others: CredentialListing['accounts'],
): ImportReport {
  const more = outcome.outcome === 'refused' ? outcome.faults : [];
  const all = [...faults, ...more.map(({ index, field, message }) => placed(wishes[index], field, message))];
  if (all.length > 0) {
    const sorted = all.toSorted((left, right) => (left.row ?? 0) - (right.row ?? 0));
    return { accounts: [], skipped: [], faults: sorted, cautions: [], keyFiles: [] };
  }
  const made = outcome.outcome === 'refused' ? [] : outcome.accounts;
  const results = wishes.map(({ row, wish }, index) => ({ row, wish, account: made[index] ?? null }));
  const accounts = results.flatMap(({ row, account }) => (account === null ? [] : [{ row, ...account }]));
  const taken = results.filter(({ account }) => account !== null);
  return {
    accounts,
    skipped: results
      .filter(({ account }) => account === null)
      .map(({ row, wish: { platformId, accountId } }) => ({ row, platformId, accountId })),
    faults: [],
    cautions: sharedKeyCautions(accounts, others),
    keyFiles: [...new Set(taken.flatMap(({ wish: { origin } }) => (origin.kind === 'file' ? [origin.file] : [])))],
  };
}

/** The report as JSON. */
export function reportDocument(report: ImportReport, file: string, dryRun: boolean): object {
  const { accounts, skipped, faults, cautions, keyFiles } = report;
  return {
    file,
    dryRun,
    imported: dryRun ? 0 : accounts.length,
    accounts,
    skipped,
    faults,
    cautions,
    keyFiles,
  };
}

/** The port's names of where a key comes from, as the file has them. */
const FILE_FIELDS: { readonly [field: string]: string } = { file: 'keyFile' };

function placed(place: PlacedWish | undefined, field: string, message: string): ImportFault {
  return { row: place?.row ?? null, line: place?.line ?? null, field: FILE_FIELDS[field] ?? field, message };
}
