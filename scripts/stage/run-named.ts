import { build, runProgram } from './run-program.ts';

const REFUSED = 2;

/** A program that a name on the command line stands for. */
export interface NamedProgram {
  readonly command: readonly string[];
  /** What it does and what it needs, for the list of names. */
  readonly about: string;
  readonly needsBuild?: boolean;
}

/** A script of this folder's parent, as {@link NamedProgram.command}. */
export function script(file: string, ...options: readonly string[]): readonly string[] {
  return [process.execPath, ...options, '--import', 'tsx', `scripts/${file}`];
}

/**
 * Runs the program named first on the command line with the arguments behind it, or several names
 * one after the other. Builds at most once, and stops at the first that fails.
 * @param byDefault names that run when none is given; without them, the names are printed
 * @returns exit code; 2 for an unknown name
 */
export async function runNamed(
  usage: string,
  programs: { readonly [name: string]: NamedProgram },
  byDefault: readonly string[] = [],
): Promise<number> {
  const given = process.argv.slice(2);
  const behind = given.findIndex((argument) => programs[argument] === undefined);
  const chosen = behind < 0 ? given : given.slice(0, behind);
  const names = given.length === 0 ? byDefault : chosen;
  if (names.length === 0) {
    const lines = Object.entries(programs).map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`);
    process.stdout.write(`${usage}\n\n${lines.join('\n')}\n`);
    return given.length === 0 || given[0] === '--help' ? 0 : REFUSED;
  }
  let isBuilt = false;
  for (const name of names) {
    const { command, needsBuild = false } = programs[name] as NamedProgram;
    const args = behind < 0 ? [] : given.slice(behind);
    const built = needsBuild && !isBuilt ? await build() : 0;
    isBuilt ||= needsBuild;
    const exitCode = built === 0 ? await runProgram([...command, ...args]) : built;
    if (exitCode !== 0) return exitCode;
  }
  return 0;
}
