import { Option } from 'commander';
import type { CliContext } from './cli-context.ts';

/** The `--json` option of commands that print data. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON for machines');
}

/** Prints one JSON document. */
export function printJson(context: CliContext, document: object): void {
  context.print(`${JSON.stringify(document, null, 2)}\n`);
}

/**
 * Prints sentences; on a terminal, lines are broken between words.
 * @param hanging see `wrapText`
 */
export async function printProse(context: CliContext, text: string, hanging?: number): Promise<void> {
  const { columns } = context.output;
  if (columns === null) return context.print(text);
  const { wrapText } = await import('./wrap-text.ts');
  context.print(wrapText(text, columns, hanging));
}

/** What to tell an operator whose change a running service does not know of yet. */
export const RELOAD_HINT =
  'A running service takes this up by itself within seconds (SIGNING_WATCH), at once on POST /api/v1/config/reload or SIGHUP.\n';
