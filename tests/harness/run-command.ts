import { join } from 'node:path';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { commandInProcess } from './command-in-process.ts';

/** Settings with all files in this folder and a free port; logs errors only. */
export function settingsIn(folder: string) {
  return {
    SIGNING_PORT: '0',
    SIGNING_LOG_LEVEL: 'error',
    SIGNING_CREDENTIALS_FILE: join(folder, 'credentials.json'),
    SIGNING_MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
    SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key'),
  };
}

/** Runs a command that has to succeed in this process; returns its output. */
export async function runCommand(
  environment: { readonly [name: string]: string },
  ...args: readonly string[]
): Promise<string> {
  const { stdout, stderr, exitCode } = await commandInProcess(environment, args);
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return stdout;
}

/** Adds an account with a new key to an existing platform. */
export function addAccount(
  environment: { readonly [name: string]: string },
  platformId: string,
  accountId: string,
  algorithm: Algorithm,
): Promise<string> {
  const ids = ['--platform', platformId, '--account', accountId];
  return runCommand(environment, 'account', 'add', ...ids, '--algorithm', algorithm);
}
