import { print } from './print.ts';

/**
 * For scripts of one or no option: prints how it is used, and ends with 0, where that is asked for (`--help`); says what is not known, and ends with 2, where something else was given.
 * @param options with a value each, such as `--signatures`
 */
export function refuseUnknownOptions(usage: string, options: readonly string[] = []): void {
  const given = process.argv.slice(2);
  if (given.includes('--help')) {
    print(usage);
    process.exit(0);
  }
  const unknown = given.find((one, index) => !options.includes(one) && !options.includes(given[index - 1] ?? ''));
  if (unknown === undefined) return;
  process.stderr.write(`${unknown} is not known here.\n${usage}\n`);
  process.exit(2);
}
