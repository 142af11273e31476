import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '../..');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Builds, except under `npm run --ignore-scripts`, like npm's own pre-scripts. @returns exit code
 */
export async function build(): Promise<number> {
  return process.env['npm_config_ignore_scripts'] === 'true' ? 0 : runProgram(['npm', 'run', '--silent', 'build']);
}

/**
 * Runs a program with this process' input and output, and passes signals on. @returns its exit
 * code; 1 after a signal
 */
export async function runProgram(
  [command = '', ...args]: readonly string[],
  environment: { readonly [name: string]: string } = {},
): Promise<number> {
  const child = spawn(command, args, { cwd: REPOSITORY, stdio: 'inherit', env: { ...process.env, ...environment } });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, pass);
  const [exitCode] = await once(child, 'exit');
  for (const signal of SIGNALS) process.off(signal, pass);
  return exitCode ?? 1;
}
