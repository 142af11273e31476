import { readdirSync, rmSync } from 'node:fs';
import { buildSync } from 'esbuild';

/** Makes the page, the style sheet and the script of the console, the latter with all it imports. */
export function buildConsole(folder) {
  buildSync({
    entryPoints: ['index.html', 'console.css', 'console.ts'].map((file) => `src/console/${file}`),
    outdir: folder,
    bundle: true,
    loader: { '.css': 'copy', '.html': 'copy' },
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  });
}

/**
 * Bundles the command line with what commands import, which starts in half of the time: of several
 * hundred small modules, most are Inversify's and zod's. Beside it remain the native libraries, and
 * what only a running service loads.
 * @param folder gets cli.js, and in its folder program what that imports
 */
export function buildCommandLine(folder, dependencies) {
  for (const file of readdirSync(`${folder}/program`)) if (CHUNK.test(file)) rmSync(`${folder}/program/${file}`);
  buildSync({
    entryPoints: ['src/cli.ts'],
    outdir: folder,
    chunkNames: 'program/[name]-[hash]',
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // jsonc-parser's other form resolves modules at run time.
    mainFields: ['module', 'main'],
    // The other form compiles functions from text: see express-without-eval.ts.
    alias: { depd: 'depd/lib/browser/index.js' },
    external: [...dependencies.filter((name) => !BUNDLED.includes(name)), '@opentelemetry/*'],
    banner: { js: BANNER },
    minifyWhitespace: true,
    logLevel: 'warning',
  });
}

const CHUNK = /-[A-Z0-9]{8}\.js$/;

const BUNDLED = [
  ...['commander', 'inversify', 'reflect-metadata', 'zod', 'ipaddr.js', 'jsonc-parser', 'string-width'],
  // An import of these from outside would precede what express-without-eval.ts does.
  ...['express', 'express-async-errors'],
];

/** Bundled CommonJS modules require those of Node. */
const BANNER = "import { createRequire as toRequire } from 'node:module';\nconst require = toRequire(import.meta.url);";
