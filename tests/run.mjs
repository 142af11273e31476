import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';

/*
 * Runs tests with mocha: `npm test [-- FILE, FOLDER, 'PATTERN' or option of mocha ...]`, by default
 * all in parallel.
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

run('typescript/bin/tsc', ['-p', 'tsconfig.tests.json']);

// Compiled incrementally: nothing else removes what was made of a test that is gone.
for (const path of readdirSync('build/tests', { recursive: true })) {
  const source = join('tests', path.replace(/\.js(?:\.map)?$/, '.ts'));
  if (!existsSync(source)) rmSync(join('build/tests', path), { recursive: true, force: true });
}

const isPath = (arg) => /^(?:\.\/)?tests(?:\/|$)/.test(arg);
const given = process.argv.slice(2);
const compiled = given.map((arg) => (isPath(arg) ? join('build', arg.replace(/\.ts$/, '.js')) : arg));
run('mocha/bin/mocha.js', given.some(isPath) ? compiled : [...compiled, '--parallel', 'build/tests']);
