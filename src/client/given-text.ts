import { readFileSync } from 'node:fs';

/** A text, or the file that holds it, which is read when the client is made. */
export type GivenText = string | { readonly file: string };

/** The text itself. */
export function readGiven(given: GivenText): string {
  return typeof given === 'string' ? given : readFileSync(given.file, 'utf8');
}
