import type { Workplace } from './service-process.ts';

/** Usage of an account by its records. */
export interface AuditedAccount {
  readonly platformId: string;
  readonly accountId: string;
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** Usage by verified audit files. */
export interface AuditedUsage {
  readonly totalSigns: number;
  readonly accounts: readonly AuditedAccount[];
  /** Number of services that wrote them. */
  readonly chains: number;
}

/**
 * Verifies audit files with `audit verify --usage`.
 * @param files these files, and the audit files of these folders
 * @param publicKeys trusted key files; by default the configured one
 * @throws Error with the command's output if it fails
 */
export async function auditedUsage(
  place: Workplace,
  files: readonly string[],
  publicKeys: readonly string[] = [],
): Promise<AuditedUsage> {
  const keys = publicKeys.flatMap((file) => ['--public-key', file]);
  const verdict = await place.done('audit', 'verify', '--usage', '--json', ...keys, ...files);
  const { chains, usage } = JSON.parse(verdict) as {
    readonly chains: readonly unknown[];
    readonly usage: { readonly accounts: readonly AuditedAccount[] };
  };
  const totalSigns = usage.accounts.reduce((sum, account) => sum + account.totalSigns, 0);
  return { totalSigns, accounts: usage.accounts, chains: chains.length };
}
