import { checkCoreDumps } from '../machine/core-dumps.ts';
import { currentDebugState, findDebugSwitches } from '../machine/debug-switches.ts';
import { checkDumpable, readDumpable } from '../machine/dumpable.ts';
import { checkHardeningFlags } from '../machine/hardening-flags.ts';
import { checkNodeRelease } from '../machine/node-release.ts';
import { checkSwap } from '../machine/swap.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { memoryLockState } from '../secure-memory/memory-lock.ts';
import type { Environment } from './settings.ts';

/**
 * Says in the service log, once, how this process is hardened: a warning when something is missing,
 * or when Node.js gets no security fixes. Ask when the service has started, since memory is known
 * to be locked only once some was.
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

/** From now on, the service log tells of each SIGUSR1: somebody tried to open the debugger. */
export function logDebuggerAttempts(log: ServiceLog): void {
  process.on('SIGUSR1', () => log.warn('SIGUSR1 was ignored: the debugger stays closed.'));
}
