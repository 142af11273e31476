import { parseArgs } from 'node:util';
import { print } from './print.ts';

const REFUSED = 2;

/** What stands wrong in arguments that `parseArgs` refuses, without the advice that follows. */
export function argumentFault(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  return reason.replace(/\.$/, '');
}

/**
 * For scripts of one or no option: whether to begin. Not so where help is asked for, which is printed, or something is given that is not known, which is said: then the exit code is 2.
 * @param options with a value each, such as `signatures`
 */
export function mayBegin(usage: string, options: readonly string[] = []): boolean {
  const valued = options.map((name) => [name, { type: 'string' }] as const);
  try {
    const { values } = parseArgs({ options: { ...Object.fromEntries(valued), help: { type: 'boolean' } } });
    if (values['help'] === undefined) return true;
    print(usage);
  } catch (error) {
    process.stderr.write(`${argumentFault(error)}.\n${usage}\n`);
    process.exitCode = REFUSED;
  }
  return false;
}
