import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';

/*
 * Compiles src into dist, bundles the command line into dist/cli.js and dist/program, and the
 * console into dist/console, and copies the venues into dist/venues and the API's documents into
 * dist/pages. Without a change since the last complete build, it does nothing. Changed sources are
 * compiled incrementally. With other sources, another configuration, lock file or version of Node,
 * after a build that did not end, or with an output missing, dist is built from scratch, so that
 * it never has output without a source or the reverse. Plain JavaScript, because it precedes every
 * start.
 *
 * npm run build
 */

/** Both have names that `rm dist/*` matches: without the outputs, they must not remain. */
const STAMP = 'dist/build.stamp';
const BUILD_INFO = 'dist/build.tsbuildinfo';

/** Read by commands, from dist: the folder config of an installation is the operator's. */
const VENUES = 'config/venues';

/** Served by the service; `npm run generate` makes them. */
const PAGES = ['docs/openapi.html', 'docs/openapi.json'];

/** Three files of the folder, see {@link buildConsole}. */
const CONSOLE = 'src/console';
const CONSOLE_FILES = ['index.html', 'console.css', 'console.js'];

const SETUP = [
  ...['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'],
  ...['scripts/build.mjs', 'scripts/bundles.mjs'],
];

process.chdir(resolve(import.meta.dirname, '..'));
const sources = ['src', VENUES]
  .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => join(parentPath, name))
  .concat(PAGES)
  // Libraries of key helpers.
  .filter((file) => !file.includes('node_modules'))
  .sort();
const setup = digest(process.version, ...sources, ...SETUP.map((file) => readFileSync(file)));
const stamp = `${setup} ${digest(...sources.map((file) => readFileSync(file)))}\n`;
const others = sources.filter((file) => !file.startsWith(CONSOLE));
const programs = others.filter((file) => /(?<!\.d)\.ts$/.test(file));
/** Venues, pages, and for `npm ci` of the libraries of key helpers. */
const copied = others.filter((file) => /\.(?:html|json)$/.test(file));
const outputs = [...[...programs, ...copied].map(toOutput), ...CONSOLE_FILES.map((file) => `dist/console/${file}`)];
const isWhole = existsSync(STAMP) && outputs.every((file) => existsSync(file));
const built = isWhole ? readFileSync(STAMP, 'utf8') : '';

if (built !== stamp) {
  if (!built.startsWith(setup)) rmSync('dist', { recursive: true, force: true });
  rmSync(STAMP, { force: true });
  const compile = ['-p', 'tsconfig.build.json', '--incremental', '--tsBuildInfoFile', BUILD_INFO];
  const { status } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', ...compile], { stdio: 'inherit' });
  for (const folder of ['venues', 'pages', 'program']) mkdirSync(join('dist', folder), { recursive: true });
  for (const file of copied) copyFileSync(file, toOutput(file));
  // Here, because without a change no package is needed.
  const { buildCommandLine, buildConsole } = await import('./bundles.mjs');
  buildConsole('dist/console');
  if (status === 0)
    buildCommandLine('dist', Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).dependencies));
  if (status === 0) writeFileSync(STAMP, stamp);
  process.exitCode = status ?? 1;
}

/** The file in dist. */
function toOutput(source) {
  if (source.startsWith(VENUES)) return join('dist/venues', relative(VENUES, source));
  if (PAGES.includes(source)) return join('dist/pages', basename(source));
  return join('dist', relative('src', source).replace(/\.ts$/, '.js'));
}

/** SHA-256 over texts and contents, each with its length, in hex. */
function digest(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}
