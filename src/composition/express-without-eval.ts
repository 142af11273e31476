import { createRequire } from 'node:module';

/*
 * Import this before Express. Express and its packages announce deprecations through the package
 * depd, which compiles functions from text, and `--disallow-code-generation-from-strings` refuses
 * that while they load. depd's version for browsers announces nothing; CommonJS modules that
 * require depd get that one from here on.
 */
const load = createRequire(createRequire(import.meta.url).resolve('express'));
const withoutEval = load.resolve('depd/lib/browser/index.js');
load(withoutEval);
load.cache[load.resolve('depd')] = load.cache[withoutEval];
