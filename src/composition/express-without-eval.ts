import { createRequire } from 'node:module';

/*
 * Import this before Express. Express and what belongs to it announce deprecations through the package depd, which makes each announcement a
 * function from text, and `--disallow-code-generation-from-strings` refuses that while they load. The package brings the same for browsers,
 * where it announces nothing; CommonJS modules that ask for the one get the other from here on.
 */
const load = createRequire(createRequire(import.meta.url).resolve('express'));
const withoutEval = load.resolve('depd/lib/browser/index.js');
load(withoutEval);
load.cache[load.resolve('depd')] = load.cache[withoutEval];
