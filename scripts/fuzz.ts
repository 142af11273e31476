import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { build, runProgram } from './run/programs.ts';

/*
 * Runs the property tests of tests/fuzz against two services over raw sockets, for a minute.
 *
 * npm run fuzz [-- --seconds 60 --seed 1 --rate 400]
 * npm run fuzz -- --replay FAMILY --seed=SEED --path=PATH
 *
 * --seconds: from 600 on, it also checks for memory leaks
 * --seed: reproduces the cases; random by default, and printed
 * --rate: maximum cases a second
 * --replay: repeats one failed case, as the failure prints it
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    rate: { type: 'string', default: '400' },
    replay: { type: 'string', default: '' },
    path: { type: 'string', default: '' },
  },
});
const environment = Object.entries(values).map(([name, value]) => [`FUZZ_${name.toUpperCase()}`, value] as const);

const built = await build();
process.exitCode =
  built === 0
    ? await runProgram(['npm', 'test', '-s', '--', '--exit', 'tests/fuzz/*.fuzz.ts'], Object.fromEntries(environment))
    : built;
