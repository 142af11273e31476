import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildConsole } from '../scripts/bundles.mjs';

/*
 * Runs tests with mocha: `npm test [-- FILE, FOLDER, 'PATTERN' or option of mocha ...]`, by default
 * all in parallel. An option's value follows `=`: --grep=WORD.
 *
 * Mocha gets plain JavaScript, compiled from src and tests into build: on Node 20 a loader of
 * TypeScript takes longer than compiling does, and once more in each thread.
 */

process.chdir(resolve(import.meta.dirname, '..'));

/** Runs a program of a package, and ends with its status if it fails. */
function run(program, args) {
  const { status } = spawnSync(process.execPath, [join('node_modules', program), ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** A name or pattern of tests, as typed. */
const isPath = (arg) => /^(?:\.\/)?tests(?:\/|$)/.test(arg);
const given = process.argv.slice(2);
for (const arg of given) {
  if (isPath(arg) ? existsSync(arg) || /[*?[{(]/.test(arg) : !arg.endsWith('.ts')) continue;
  process.stderr.write(`${arg}: no file or folder of tests; names begin with tests/\n`);
  process.exit(2);
}

run('typescript/bin/tsc', ['-p', 'tsconfig.tests.json']);

// Compiled incrementally: nothing else removes what was made of a source that is gone.
for (const folder of ['src', 'tests']) {
  for (const path of readdirSync(join('build', folder), { recursive: true })) {
    const source = join(folder, path.replace(/\.js(?:\.map)?$/, '.ts'));
    if (!existsSync(source)) rmSync(join('build', folder, path), { recursive: true, force: true });
  }
}

// Files of the program beside the code.
cpSync('config/venues', 'build/src/venues', { recursive: true });
for (const name of ['openapi.json', 'openapi.html']) cpSync(`docs/${name}`, `build/src/pages/${name}`);
buildConsole('build/src/console');

const compiled = given.map((arg) => (isPath(arg) ? join('build', arg.replace(/\.ts$/, '.js')) : arg));
// A word that is no path must not run everything.
const isAll = given.every((arg) => arg.startsWith('-'));
run('mocha/bin/mocha.js', isAll ? [...compiled, '--parallel', 'build/tests'] : compiled);
