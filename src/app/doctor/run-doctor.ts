import { HelperWrappingKeys } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { MemoryFile } from '../../adapters/key-helper/memory-file.ts';
import { checkClockReference, checkClockSync } from '../../adapters/machine/clock-sync.ts';
import { checkCoreDumps, checkDumpable, readDumpable } from '../../adapters/machine/core-dumps.ts';
import { type Finding, ok } from '../../adapters/machine/finding.ts';
import { checkHardeningFlags } from '../../adapters/machine/hardening-flags.ts';
import { checkMemoryLock } from '../../adapters/machine/memory-lock-check.ts';
import { checkNativeModules } from '../../adapters/machine/native-modules.ts';
import { checkNodeRelease } from '../../adapters/machine/node-release.ts';
import { checkSwap } from '../../adapters/machine/swap.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { Environment, Settings } from '../settings/settings.ts';
import { checkCallers } from './callers.ts';
import { checkClockAtStart } from './clock-order.ts';
import { checkFiles } from './files.ts';
import { checkMasterKeyOpening } from './master-keys.ts';
import { checkOpenFiles } from './open-files.ts';
import { checkRedis } from './redis.ts';
import { type NamedCheck, runChecks } from './run-checks.ts';
import { checkSecp256k1Binding } from './secp256k1-binding.ts';
import { checkDebugging, checkSettings, readSettingsOrError } from './settings.ts';
import { checkTls } from './tls.ts';
import { checkTraces } from './traces.ts';

/** An RSA key of 4096 bits. */
const MAX_KEY_BYTES = 2400;

/** Whether key helpers can pass keys in memory. */
function checkKeyHelpers(): Finding {
  const file = new MemoryFile();
  try {
    file.write(Buffer.alloc(MAX_KEY_BYTES));
  } finally {
    file.close();
  }
  return ok('key-helpers', 'can pass keys in memory');
}

/** Packages whose native code handles keys or the audit file. */
const NATIVE_MODULES = ['sodium-native', 'secp256k1-native', 'fs-native-extensions'];

/**
 * Checks machine, process and configuration without running the service; findings in the order
 * shown.
 */
export async function runDoctor(
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
    ['memlock', () => checkMemoryLock(configured?.memoryLock !== 'warn')],
    ['open-files', () => checkOpenFiles()],
    ['swap', () => checkSwap()],
    [
      'key-helpers',
      () => checkKeyHelpers(),
      'Until then, keys in files of other tools and wrapped master keys do not open.',
    ],
    ['dumpable', () => checkDumpable()],
    ['core-dumps', () => checkCoreDumps(readDumpable())],
    ['debugging', () => checkDebugging(environment)],
    ['node-options', () => checkHardeningFlags(undefined, 'this command (not the service)')],
    ['clock', () => (clockReference === undefined ? checkClockSync() : checkClockReference(clockReference))],
    ...(configured === null ? [] : listConfigured(configured)),
  ];
  return runChecks(checks);
}

function listConfigured(settings: Settings): readonly NamedCheck[] {
  const { masterKeyFile, wrappingKeys, auth } = settings;
  return [
    ['files', () => checkFiles(settings)],
    ['master-key-opening', () => checkMasterKeyOpening(masterKeyFile, new HelperWrappingKeys(wrappingKeys))],
    ['callers', () => checkCallers(settings)],
    ['tls', () => checkTls(settings)],
    ['clock-order', () => checkClockAtStart(settings)],
    [
      'authentication',
      async () => (auth.mode === 'off' ? [] : (await import('./authentication.ts')).checkAuthentication(settings)),
    ],
    ['redis', () => checkRedis(settings)],
    ['traces', () => checkTraces(settings)],
  ];
}
