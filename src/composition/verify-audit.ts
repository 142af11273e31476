import { existsSync } from 'node:fs';
import { publicKeyFileOf } from '../adapters/driven/audit-sink/audit-key/public-key-file.ts';
import { FileAuditVerifier } from '../adapters/driven/audit-verifier/file-audit-verifier.ts';
import { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type {
  AuditCheck,
  AuditCheckRequest,
  Environment,
  TrustedKeys,
  UsageRecount,
} from '../adapters/driving/cli/cli-context.ts';
import { readSettings } from './settings.ts';

/**
 * Verifies audit files and, where that is wanted, counts usage anew from their records, as the
 * service counts it. Where no keys are given, the public half of the configured audit key is the
 * one that may sign.
 * @throws AuditInputError when a file can't be read
 * @throws SettingsError when no files or no keys are named and the settings are wrong
 */
export async function verifyAudit(
  environment: Environment,
  { usage, ...verification }: AuditCheckRequest,
): Promise<AuditCheck> {
  const verifier = new FileAuditVerifier({ auditFile: () => readSettings(environment).auditFile });
  const ledger = usage ? new MemoryUsageLedger() : null;
  const count = ledger === null ? null : ledger.count.bind(ledger);
  const keys = trustedKeysOf(environment, verification.publicKeys);
  const publicKeys = keys.source === 'configured' ? [keys.file] : verification.publicKeys;
  const verdict = await verifier.verify({ ...verification, publicKeys, count });
  return { verdict, keys, usage: ledger === null || verdict.fault !== null ? null : recountOf(ledger) };
}

function trustedKeysOf(environment: Environment, given: readonly string[]): TrustedKeys {
  if (given.length > 0) return { source: 'given' };
  const file = publicKeyFileOf(readSettings(environment).auditKeyFile);
  return { source: existsSync(file) ? 'configured' : 'none', file };
}

function recountOf(ledger: MemoryUsageLedger): UsageRecount {
  const { platforms, totals } = ledger.state();
  const accounts = platforms.flatMap(({ platformId, accountIds }) =>
    accountIds.map((accountId) => ({ platformId, accountId, ...ledger.usage(platformId, accountId) })),
  );
  return { accounts: accounts.toSorted(byIds), totals };
}

type Ids = Pick<UsageRecount['accounts'][number], 'platformId' | 'accountId'>;

function byIds(left: Ids, right: Ids): number {
  return compare(left.platformId, right.platformId) || compare(left.accountId, right.accountId);
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
