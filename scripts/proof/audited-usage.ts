import type { Workplace } from '../../tests/e2e/service-process.ts';

/** What the records of one account count to. */
export interface AuditedAccount {
  readonly platformId: string;
  readonly accountId: string;
  readonly totalSigns: number;
  readonly errorCount: number;
}

/** What audit files that were found in order count to. */
export interface AuditedUsage {
  readonly totalSigns: number;
  readonly accounts: readonly AuditedAccount[];
  /** Services that wrote them. */
  readonly chains: number;
}

/**
 * Has the command for auditors verify audit files, of one service or several, and count the usage of their accounts.
 * @param publicKeys files of the keys that may sign; by default the configured one
 * @throws Error with what the command says, where it does not end with exit code 0
 */
export async function auditedUsage(
  place: Workplace,
  files: readonly string[],
  publicKeys: readonly string[] = [],
): Promise<AuditedUsage> {
  const keys = publicKeys.flatMap((file) => ['--public-key', file]);
  const said = await place.done('audit', 'verify', '--usage', '--json', ...keys, ...files);
  const { chains, usage } = JSON.parse(said) as {
    readonly chains: readonly unknown[];
    readonly usage: { readonly accounts: readonly AuditedAccount[] };
  };
  const totalSigns = usage.accounts.reduce((sum, account) => sum + account.totalSigns, 0);
  return { totalSigns, accounts: usage.accounts, chains: chains.length };
}
