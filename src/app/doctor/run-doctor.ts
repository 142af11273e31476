import { HelperWrappingKeys } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { MemoryFile } from '../../adapters/key-helper/memory-file.ts';
import { checkClockReference, checkClockSync } from '../../adapters/machine/clock-sync.ts';
import { checkCoreDumps, checkDumpable, readDumpable } from '../../adapters/machine/core-dumps.ts';
import { type Finding, fail, ok } from '../../adapters/machine/finding.ts';
import { checkHardeningFlags } from '../../adapters/machine/hardening-flags.ts';
import { checkMemoryLock } from '../../adapters/machine/memory-lock-check.ts';
import { checkNativeModules } from '../../adapters/machine/native-modules.ts';
import { checkNodeRelease } from '../../adapters/machine/node-release.ts';
import { checkSwap } from '../../adapters/machine/swap.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { Environment } from '../settings/settings.ts';
import { checkCallers } from './callers.ts';
import { failedCheck } from './failed-check.ts';
import { checkFiles } from './files.ts';
import { checkMasterKeyOpening } from './master-keys.ts';
import { checkOpenFiles } from './open-files.ts';
import { checkRedis } from './redis.ts';
import { checkSecp256k1Binding } from './secp256k1-binding.ts';
import { checkDebugging, checkSettings, readSettingsOrError } from './settings.ts';
import { checkTls } from './tls.ts';
import { checkTraces } from './traces.ts';

type Findings = Finding | readonly Finding[];

/** A check and the name under which its failure is reported. */
export type NamedCheck = readonly [name: string, check: () => Findings | Promise<Findings>];

/** Findings of all checks in order. A check that throws becomes a finding. */
export async function runChecks(checks: readonly NamedCheck[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [name, check] of checks) findings.push(...[await complete(name, check)].flat());
  return findings;
}

/** Leaves out the message of an unexpected error: it may hold a secret. */
async function complete(name: string, check: NamedCheck[1]): Promise<Findings> {
  try {
    return await check();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
    return fail(
      name,
      `this check failed unexpectedly${code}`,
      'Report this as a bug, with the output of this command.',
    );
  }
}

/** An RSA key of 4096 bits. */
const MAX_KEY_BYTES = 2400;

/** Whether key helpers can pass keys in memory. */
function checkKeyHelpers(): Finding {
  try {
    const file = new MemoryFile();
    try {
      file.write(Buffer.alloc(MAX_KEY_BYTES));
    } finally {
      file.close();
    }
    return ok('key-helpers', 'can pass keys in memory');
  } catch (error) {
    return failedCheck(
      'key-helpers',
      error,
      'Until then, keys in files of other tools and wrapped master keys do not open.',
    );
  }
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
    ['key-helpers', () => checkKeyHelpers()],
    ['dumpable', () => checkDumpable()],
    ['core-dumps', () => checkCoreDumps(readDumpable())],
    ['debugging', () => checkDebugging(environment)],
    ['node-options', () => checkHardeningFlags(undefined, 'this command (not the service)')],
    ['clock', () => (clockReference === undefined ? checkClockSync() : checkClockReference(clockReference))],
    ['files', () => (configured === null ? [] : checkFiles(configured))],
    [
      'master-key-opening',
      () =>
        configured === null
          ? []
          : checkMasterKeyOpening(configured.masterKeyFile, new HelperWrappingKeys(configured.wrappingKeys)),
    ],
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
    ['traces', () => (configured === null ? [] : checkTraces(configured))],
  ];
  return runChecks(checks);
}
