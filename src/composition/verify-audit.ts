import { existsSync } from 'node:fs';
import { AuditKey } from '../adapters/driven/audit-sink/audit-key/audit-key.ts';
import { publicKeyFileOf } from '../adapters/driven/audit-sink/audit-key/public-key-file.ts';
import { AuditVerifier } from '../adapters/driven/audit-verifier/audit-verifier.ts';
import { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type {
  AuditCheck,
  AuditCheckRequest,
  Environment,
  TrustedKeys,
  UsageRecount,
} from '../adapters/driving/cli/cli-context.ts';
import { OperatorError } from '../domain/model/errors.ts';
import { currentDebugState, findDebugSwitches } from '../machine/debug-switches.ts';
import { MemoryLockError } from '../secure-memory/locked-buffer.ts';
import { isProduction } from './production.ts';
import { readSettings } from './settings.ts';

/**
 * Verifies audit files and, where that is wanted, counts usage again from their records, as the
 * service counts it. Where no keys are given, the public half of the configured audit key is the
 * one that may sign; without its file it is derived from the key, where this user may read that.
 * @throws OperatorError when a file can't be read
 * @throws OperatorError when no files or no keys are named and the settings are wrong
 */
export async function verifyAudit(
  environment: Environment,
  { usage, ...verification }: AuditCheckRequest,
): Promise<AuditCheck> {
  const verifier = new AuditVerifier({ auditFile: () => readSettings(environment).auditFile });
  const ledger = usage ? new MemoryUsageLedger() : null;
  const count = ledger === null ? null : ledger.count.bind(ledger);
  const { keys, publicKeys } = trustedKeysOf(environment, verification.publicKeys);
  const verdict = await verifier.verify({ ...verification, publicKeys, count });
  return { verdict, keys, usage: ledger === null || verdict.fault !== null ? null : recountOf(ledger) };
}

/** With whose keys files are verified, and those keys as the verifier takes them. */
interface KeyChoice {
  readonly keys: TrustedKeys;
  readonly publicKeys: readonly string[];
}

function trustedKeysOf(environment: Environment, given: readonly string[]): KeyChoice {
  if (given.length > 0) return { keys: { source: 'given' }, publicKeys: given };
  const { auditKeyFile } = readSettings(environment);
  const file = publicKeyFileOf(auditKeyFile);
  if (existsSync(file)) return { keys: { source: 'configured', file }, publicKeys: [file] };
  const publicKey = derivePublicKey(environment, auditKeyFile);
  return publicKey === null
    ? { keys: { source: 'none', file }, publicKeys: [] }
    : { keys: { source: 'configured', file: auditKeyFile }, publicKeys: [publicKey] };
}

/**
 * The public half of the audit key in base64; null where this user can't read that key, or where
 * others can look into this process, which commands that handle no keys allow.
 */
function derivePublicKey(environment: Environment, auditKeyFile: string): string | null {
  if (isProduction(environment) && findDebugSwitches(currentDebugState(environment)).length > 0) return null;
  try {
    const key = AuditKey.open(auditKeyFile);
    key.destroy();
    return key.publicKey.toString('base64');
  } catch (error) {
    if (error instanceof OperatorError || error instanceof MemoryLockError) return null;
    throw error;
  }
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
