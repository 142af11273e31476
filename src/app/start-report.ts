import { checkCoreDumps, checkDumpable, readDumpable } from '../adapters/machine/core-dumps.ts';
import { currentDebugState, findDebugSwitches } from '../adapters/machine/debug-switches.ts';
import { checkHardeningFlags } from '../adapters/machine/hardening-flags.ts';
import { checkNodeRelease } from '../adapters/machine/node-release.ts';
import type { Outcome } from '../adapters/machine/outcome.ts';
import { checkSwap } from '../adapters/machine/swap.ts';
import { getMemoryLockState } from '../adapters/vault/locked-buffer.ts';
import type { Registry } from '../domain/model/registry.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { checkClockAtStart } from './doctor/clock-order.ts';
import { findExposedFiles } from './doctor/files.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Environment, Settings } from './settings/settings.ts';

/** Logs program and configuration without secrets, before anything is opened. */
export function logConfiguration({ instanceId, shown }: Settings, log: ServiceLog): void {
  log.info(`Signing service ${SERVICE_VERSION}.`, {
    instanceId,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    pid: process.pid,
  });
  log.info('Configuration (explicit).', shown.explicit);
  log.info('Configuration (defaults).', shown.byDefault);
}

/** Files named in a warning. */
const MAX_FILES = 5;

/**
 * Warns, as `doctor` does, of files that others can access and of a clock that runs behind. Call it
 * before the audit file is opened, which changes its time.
 * @param now Unix milliseconds
 */
export async function warnOfFilesAndClock(
  settings: Settings,
  log: ServiceLog,
  now: number = Date.now(),
): Promise<void> {
  // A missing file that the start needs ends it with an error.
  const exposed = await findExposedFiles(settings);
  if (exposed.length > 0) {
    const found = exposed.slice(0, MAX_FILES).map(({ check, message, remedy }) => ({ check, message, remedy }));
    log.warn('Others can access files of this service; `signing-service doctor` shows all of them.', {
      count: exposed.length,
      found,
    });
  }
  for (const outcome of await checkClockAtStart(settings, now)) {
    if (typeof outcome !== 'string') log.warn(`The clock is behind: ${outcome.message}. ${outcome.remedy}`);
  }
}

/** Logs accounts and audit record before the service listens. */
export function logLoadedAccounts(
  { credentialsFile, auditFile }: Settings,
  registry: Registry,
  sink: AuditSink,
  log: ServiceLog,
): void {
  log.info('Accounts loaded.', {
    file: credentialsFile,
    digest: registry.origin.digest,
    total: registry.accountCount,
    byPlatform: registry.countByPlatform(),
    memory: getMemoryLockState(),
  });
  log.info('Audit log opened.', { file: auditFile, ...sink.head, ...sink.facts });
}

/**
 * Logs the hardening of this process, and warns of an outdated Node. Call it after the start, when
 * the state of locked memory is known.
 */
export function reportHardening(environment: Environment, log: ServiceLog): void {
  const hardening: readonly (readonly [check: string, outcome: Outcome])[] = [
    ['dumpable', checkDumpable()],
    ['core-dumps', checkCoreDumps(readDumpable())],
    ['swap', checkSwap()],
    ['node-options', checkHardeningFlags()],
  ];
  const memory = getMemoryLockState();
  const messages = hardening.map(([check, outcome]) => [
    check,
    typeof outcome === 'string' ? outcome : outcome.message,
  ]);
  const facts = { memory, ...Object.fromEntries(messages) };
  const missing = hardening.filter(([, outcome]) => typeof outcome !== 'string').map(([check]) => check);
  if (memory !== 'locked') missing.unshift('memory');
  if (missing.length === 0) log.info('This process is hardened.', facts);
  else log.warn('This process is not fully hardened; run `signing-service doctor`.', { ...facts, missing });

  const release = checkNodeRelease();
  if (typeof release !== 'string') log.warn(`Node.js ${release.message}.`, { remedy: release.remedy });

  // Production rejects these before.
  const switches = findDebugSwitches(currentDebugState(environment));
  if (switches.length > 0)
    log.warn('Other processes can inspect this process: do not use real keys. Production rejects this.', {
      found: switches,
    });
}

/** Logs every SIGUSR1: an attempt to open the debugger. */
export function logDebuggerAttempts(log: ServiceLog): void {
  process.on('SIGUSR1', () => log.warn('SIGUSR1 was ignored: the debugger stays closed.'));
}
