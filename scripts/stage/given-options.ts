import { print } from './print.ts';

const REFUSED = 2;

/** Why `parseArgs` rejects arguments, without the advice that follows. */
function argumentFault(error: unknown): string {
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\. |\n/);
  return reason.replace(/\.$/, '');
}

/**
 * What `parse` gives, for scripts of several options. Null where help is wanted, which is printed,
 * and for wrong arguments, which are reported; then the exit code is 2.
 */
export function givenOptions<Values extends { readonly help?: boolean }>(
  help: string,
  parse: () => { readonly values: Values },
): Values | null {
  try {
    const { values } = parse();
    if (values.help !== true) return values;
    print(help);
  } catch (error) {
    process.stderr.write(`${argumentFault(error)}.\n${help}\n`);
    process.exitCode = REFUSED;
  }
  return null;
}
