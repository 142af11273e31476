import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dirname, '../..');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Builds, except under `npm run --ignore-scripts`. @returns exit code */
export async function build(): Promise<number> {
  return process.env['npm_config_ignore_scripts'] === 'true' ? 0 : runProgram(['npm', 'run', '--silent', 'build']);
}

/**
 * Runs a program with inherited streams and forwards signals. @returns exit code; 1 after a signal
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

const REFUSED = 2;

/** A program with a name on the command line. */
export interface NamedProgram {
  readonly command: readonly string[];
  /** Purpose and requirements, for the list. */
  readonly about: string;
}

/** A file of scripts/ as {@link NamedProgram.command}. */
export function script(file: string, ...options: readonly string[]): readonly string[] {
  return [process.execPath, ...options, '--import', 'tsx', `scripts/${file}`];
}

/**
 * Runs the programs named on the command line in sequence, with the options behind the names, until
 * one fails; builds first.
 * @param byDefault names without arguments; empty: prints the names
 * @returns exit code; 2 for an unknown name
 */
export async function runNamed(
  usage: string,
  programs: { readonly [name: string]: NamedProgram },
  byDefault: readonly string[] = [],
): Promise<number> {
  const given = process.argv.slice(2);
  const behind = given.findIndex((argument) => argument.startsWith('-'));
  const chosen = behind < 0 ? given : given.slice(0, behind);
  const names = given.length === 0 ? byDefault : chosen;
  if (names.length === 0 || names.some((name) => !Object.hasOwn(programs, name))) {
    const lines = Object.entries(programs).map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`);
    process.stdout.write(`${usage}\n\n${lines.join('\n')}\n`);
    return given.length === 0 || given[0] === '--help' ? 0 : REFUSED;
  }
  let exitCode = await build();
  for (const name of names) {
    const { command } = programs[name] as NamedProgram;
    if (exitCode === 0) exitCode = await runProgram([...command, ...given.slice(chosen.length)]);
  }
  return exitCode;
}
