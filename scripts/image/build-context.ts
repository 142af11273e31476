import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Names in a folder that `.dockerignore` lets into a build. Reads what this project's has: names of the folder itself, `*` and `!name`, of which the last that fits counts.
 * @throws Error at a pattern of any other kind, rather than guess what it means
 */
export function buildContext(folder: string): readonly string[] {
  const file = join(folder, '.dockerignore');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  const patterns = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const odd = patterns.find((pattern) => pattern !== '*' && !/^!?[\w.][\w.-]*$/.test(pattern));
  if (odd !== undefined) throw new Error(`.dockerignore has a pattern that is not understood here: ${odd}`);
  return readdirSync(folder).filter((name) => !isIgnored(name, patterns));
}

function isIgnored(name: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((pattern) => pattern === '*' || pattern.replace('!', '') === name);
  return last !== undefined && !last.startsWith('!');
}
