import type { Registry } from '../domain/model/registry.ts';
import { checkCoreDumps } from '../machine/core-dumps.ts';
import { currentDebugState, findDebugSwitches } from '../machine/debug-switches.ts';
import { checkDumpable, readDumpable } from '../machine/dumpable.ts';
import { checkHardeningFlags } from '../machine/hardening-flags.ts';
import { checkNodeRelease } from '../machine/node-release.ts';
import { checkSwap } from '../machine/swap.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { memoryLockState } from '../secure-memory/memory-lock.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Environment, Settings } from './settings.ts';

/**
 * Logs which program starts, with its configuration, without secrets. Call it before anything is
 * opened, so that the log shows it also where the service does not start.
 */
export function logConfiguration({ instanceId, shown }: Settings, log: ServiceLog): void {
  log.info(`Signing service ${SERVICE_VERSION}.`, {
    instanceId,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    pid: process.pid,
  });
  log.info('Settings that are given.', shown.given);
  log.info('Settings by default.', shown.byDefault);
}

/** Logs the accounts and the audit record with which the service starts to serve. */
export function logLoadedAccounts(
  { credentialsFile, auditFile }: Settings,
  registry: Registry,
  sink: AuditSink,
  log: ServiceLog,
): void {
  log.info('Accounts.', {
    file: credentialsFile,
    digest: registry.origin.digest,
    total: registry.accountCount,
    byPlatform: registry.countByPlatform(),
    memory: memoryLockState(),
  });
  log.info('Audit record.', { file: auditFile, ...sink.head, ...sink.facts });
}

/**
 * Logs how this process is hardened: a warning when something is missing, or when Node.js gets no
 * security fixes. Call it when the service has started: memory is known to be locked only then.
 */
export function reportHardening(environment: Environment, log: ServiceLog): void {
  const findings = [checkDumpable(), checkCoreDumps(readDumpable()), checkSwap(), checkHardeningFlags()];
  const memory = memoryLockState();
  const facts = { memory, ...Object.fromEntries(findings.map(({ check, message }) => [check, message])) };
  const missing = findings.filter(({ state }) => state !== 'ok').map(({ check }) => check);
  if (memory !== 'locked') missing.unshift('memory');
  if (missing.length === 0) log.info('This process is hardened.', facts);
  else log.warn('This process is not fully hardened; `signing-service doctor` says what to do.', { ...facts, missing });

  const { state, message, remedy } = checkNodeRelease();
  if (state !== 'ok') log.warn(`Node.js ${message}.`, { remedy });

  // In production it would not have started.
  const found = findDebugSwitches(currentDebugState(environment));
  if (found.length > 0)
    log.warn('Others can look into this process: not for real keys, and refused in production.', { found });
}

/** From now on, logs each SIGUSR1: an attempt to open the debugger. */
export function logDebuggerAttempts(log: ServiceLog): void {
  process.on('SIGUSR1', () => log.warn('SIGUSR1 was ignored: the debugger stays closed.'));
}
