import { InvalidArgumentError } from 'commander';
import { isPrincipal } from '../../domain/model/authentication.ts';
import { escapeUnsafe } from '../../domain/model/text/unsafe-characters.ts';
import type { CliContext } from './cli-context.ts';

/** Prints one JSON document. */
export function printJson(context: CliContext, document: object): void {
  const lines = JSON.stringify(document, null, 2).split('\n').map(escapeUnsafe);
  context.print(`${lines.join('\n')}\n`);
}

/** Hint for operators after a change. */
export const RELOAD_HINT =
  'A running service picks this up within seconds (SIGNING_WATCH), or immediately on POST /api/v1/config/reload or SIGHUP.\n';

/** Settings of commands that read or edit the credentials file. */
export const CREDENTIALS_SETTINGS = ['SIGNING_CREDENTIALS_FILE'] as const;

/** Settings of commands that seal or open keys. */
export const SEALING_SETTINGS = ['SIGNING_CREDENTIALS_FILE', 'SIGNING_MASTER_KEY_FILE', 'SIGNING_MEMORY_LOCK'] as const;

/** The name of a caller. @throws InvalidArgumentError if it is invalid */
export function parsePrincipal(text: string): string {
  if (isPrincipal(text)) return text;
  throw new InvalidArgumentError(
    'It must be 1 to 256 letters, digits, spaces or . _ : @ / = + , - beginning with a letter or digit, and not "anonymous" (use --anonymous).',
  );
}
