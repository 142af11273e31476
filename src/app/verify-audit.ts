import { existsSync } from 'node:fs';
import { AuditKey, getPublicKeyFile } from '../adapters/audit/audit-key.ts';
import { verifyAuditFiles } from '../adapters/audit/verify/verify-audit-files.ts';
import type {
  AuditCheck,
  AuditCheckRequest,
  Environment,
  TrustedKeys,
  UsageRecount,
} from '../adapters/cli/cli-context.ts';
import { currentDebugState, findDebugSwitches } from '../adapters/machine/debug-switches.ts';
import { MemoryUsageLedger } from '../adapters/usage/memory-usage-ledger.ts';
import { compareAccountIds } from '../domain/model/account.ts';
import { OperatorError } from '../domain/model/errors.ts';
import { isProduction } from './production.ts';
import { readSettings } from './settings/settings.ts';

/**
 * Verifies audit files and optionally recounts usage from them. Without keys it trusts the public
 * half of the configured audit key, derived from the key itself if the .pub file is missing.
 * @throws OperatorError if a file cannot be read, or if settings are needed and wrong
 */
export async function verifyAudit(
  environment: Environment,
  { usage, ...verification }: AuditCheckRequest,
): Promise<AuditCheck> {
  const ledger = usage ? new MemoryUsageLedger() : null;
  const count = ledger === null ? null : ledger.count.bind(ledger);
  const { keys, publicKeys } = chooseKeys(environment, verification.publicKeys);
  const request = { ...verification, publicKeys, count };
  const verdict = await verifyAuditFiles(request, () => readSettings(environment).auditFile);
  return { verdict, keys, usage: ledger === null || verdict.issue !== null ? null : toRecount(ledger) };
}

/** The trusted keys, for the report and for the verifier. */
interface KeyChoice {
  readonly keys: TrustedKeys;
  readonly publicKeys: readonly string[];
}

function chooseKeys(environment: Environment, explicit: readonly string[]): KeyChoice {
  if (explicit.length > 0) return { keys: { source: 'given' }, publicKeys: explicit };
  const { auditKeyFile } = readSettings(environment);
  const file = getPublicKeyFile(auditKeyFile);
  if (existsSync(file)) return { keys: { source: 'configured', file }, publicKeys: [file] };
  const publicKey = derivePublicKey(environment, auditKeyFile);
  return publicKey === null
    ? { keys: { source: 'none', file }, publicKeys: [] }
    : { keys: { source: 'configured', file: auditKeyFile }, publicKeys: [publicKey] };
}

/** Base64; null if this user cannot read the key, or if others can inspect this process. */
function derivePublicKey(environment: Environment, auditKeyFile: string): string | null {
  if (isProduction(environment) && findDebugSwitches(currentDebugState(environment)).length > 0) return null;
  try {
    const key = AuditKey.open(auditKeyFile);
    key.destroy();
    return key.publicKey.toString('base64');
  } catch (error) {
    if (error instanceof OperatorError) return null;
    throw error;
  }
}

function toRecount(ledger: MemoryUsageLedger): UsageRecount {
  const { accounts: counted, totals } = ledger.state();
  const accounts = counted.map(([name, usage]) => {
    const [platformId = '', accountId = ''] = name.split('/');
    return { platformId, accountId, ...usage };
  });
  return { accounts: accounts.toSorted(compareAccountIds), totals };
}
