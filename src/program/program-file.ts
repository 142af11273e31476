import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../domain/model/errors.ts';

/**
 * The path of a file or folder that belongs to the program. The build puts the chunks of the command
 * line into the folder of this module, so that both find them.
 * @param built below the compiled code
 * @param source in the repository, for scripts
 */
export function programPath(built: string, source: string): string {
  const isSource = extname(import.meta.url) === '.ts';
  return fileURLToPath(new URL(isSource ? `../../${source}` : `../${built}`, import.meta.url));
}

/** A module of the program that runs by itself: its path in src, without the extension. */
export function programModule(name: string): string {
  return programPath(`${name}.js`, `src/${name}.ts`);
}

/**
 * Reads a file that belongs to the program.
 * @param parse throws if the text is damaged
 * @throws OperatorError naming a file that is missing, unreadable or damaged
 */
export function readProgramFile<Result>(path: string, parse: (text: string) => Result): Result {
  try {
    return parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new OperatorError(`${path} is missing or damaged. It belongs to the program: install it again.`, { cause });
  }
}
