import { OperatorError } from '../../domain/model/errors.ts';
import { checkClockReference } from '../../machine/clock-reference.ts';
import { checkClockSync } from '../../machine/clock-sync.ts';
import { checkCoreDumps } from '../../machine/core-dumps.ts';
import { checkDumpable, readDumpable } from '../../machine/dumpable.ts';
import type { Finding } from '../../machine/finding.ts';
import { checkHardeningFlags } from '../../machine/hardening-flags.ts';
import { checkMemoryLock } from '../../machine/memory-lock.ts';
import { checkNativeModules } from '../../machine/native-modules.ts';
import { checkNodeRelease } from '../../machine/node-release.ts';
import { checkSwap } from '../../machine/swap.ts';
import type { Environment } from '../settings.ts';
import { checkCallers } from './callers.ts';
import { checkFiles } from './files.ts';
import { lockedMemoryUseOf } from './master-keys.ts';
import { checkOpenFiles } from './open-files.ts';
import { checkRedis } from './redis.ts';
import { type NamedCheck, runChecks } from './run-checks.ts';
import { checkSecp256k1Binding } from './secp256k1-binding.ts';
import { checkDebugging, checkSettings, readSettingsOrError } from './settings.ts';
import { checkTls } from './tls.ts';

/** Packages whose native code handles keys or the audit file. */
const NATIVE_MODULES = ['sodium-native', 'secp256k1-native', 'fs-native-extensions'];

/** What can be told of this machine, this process and the configuration without running the service; in the order in which it is shown. */
export async function examine(
  environment: Environment,
  options: { readonly clockReference?: URL } = {},
): Promise<readonly Finding[]> {
  const settings = readSettingsOrError(environment);
  const configured = settings instanceof OperatorError ? null : settings;
  const { clockReference } = options;
  const checks: readonly NamedCheck[] = [
    ['settings', () => checkSettings(environment, settings)],
    ['node', () => checkNodeRelease()],
    ['native-modules', () => checkNativeModules(NATIVE_MODULES)],
    ['secp256k1-binding', () => checkSecp256k1Binding()],
    [
      'memlock',
      () =>
        checkMemoryLock(
          configured?.memoryLock !== 'warn',
          configured === null
            ? undefined
            : { ...lockedMemoryUseOf(configured), hasServiceKey: configured.auth.mode !== 'off' },
        ),
    ],
    ['open-files', () => checkOpenFiles()],
    ['swap', () => checkSwap()],
    ['dumpable', () => checkDumpable()],
    ['core-dumps', () => checkCoreDumps(readDumpable())],
    ['debugging', () => checkDebugging(environment)],
    ['node-options', () => checkHardeningFlags(undefined, 'this command (which says nothing of the service)')],
    ['clock', () => (clockReference === undefined ? checkClockSync() : checkClockReference(clockReference))],
    ['files', () => (configured === null ? [] : checkFiles(configured))],
    ['callers', () => (configured === null ? [] : checkCallers(configured))],
    ['tls', () => (configured === null ? [] : checkTls(configured))],
    [
      'authentication',
      async () =>
        configured === null || configured.auth.mode === 'off'
          ? []
          : (await import('./authentication.ts')).checkAuthentication(configured),
    ],
    ['redis', () => (configured === null ? [] : checkRedis(configured))],
  ];
  return runChecks(checks);
}
