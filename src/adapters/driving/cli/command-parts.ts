import { Option } from 'commander';
import type { CliContext } from './cli-context.ts';

/** The `--json` option of commands that print data. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON for machines');
}

/** The examples that end a command's help. */
export function example(...lines: readonly string[]): string {
  return ['', 'Example:', ...lines.map((line) => `  $ signing-service ${line}`)].join('\n');
}

/** Prints one JSON document. */
export function printJson(context: CliContext, document: object): void {
  context.print(`${JSON.stringify(document, null, 2)}\n`);
}

/** What to tell an operator whose change a running service does not know of yet. */
export const RELOAD_HINT =
  'A running service takes this up by itself within seconds (SIGNING_WATCH), at once on POST /api/v1/config/reload or SIGHUP.\n';
