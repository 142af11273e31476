import { createRequire } from 'node:module';

/*
 * Import this before Express. Its packages require depd, which compiles functions from text, and
 * `--disallow-code-generation-from-strings` forbids that. This replaces depd in the CommonJS cache
 * with its browser version, which does nothing.
 */
const load = createRequire(createRequire(import.meta.url).resolve('express'));
const withoutEval = load.resolve('depd/lib/browser/index.js');
load(withoutEval);
load.cache[load.resolve('depd')] = load.cache[withoutEval];
