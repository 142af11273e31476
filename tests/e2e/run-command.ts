import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { PIPES } from './command-in-process.ts';

/** Runs one command line that has to succeed in this process, which saves the start of one; returns what it printed. */
export async function runCommand(
  environment: { readonly [name: string]: string },
  ...args: readonly string[]
): Promise<string> {
  // Loaded by whoever runs a command: scripts start services alone.
  const { runCommandLine } = await import('../../src/composition/command-line.ts');
  let printed = '';
  const exitCode = await runCommandLine(
    ['node', 'signing-service', ...args],
    environment,
    (text) => {
      printed += text;
    },
    PIPES,
  );
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}.`);
  return printed;
}

/** Adds an account with a new key, whose platform is there, in the same way. */
export function addAccount(
  environment: { readonly [name: string]: string },
  platformId: string,
  accountId: string,
  algorithm: Algorithm,
): Promise<string> {
  const ids = ['--platform', platformId, '--account', accountId];
  return runCommand(environment, 'account', 'add', ...ids, '--algorithm', algorithm);
}
