import { type Stats, statSync } from 'node:fs';
import { OperatorError } from '../../../domain/model/errors.ts';
import { findPermissionFault } from '../../../files/file-permissions.ts';
import { parsePublicKey } from './public-key-text.ts';
import { MAX_TEXT_BYTES, readTextFile } from './read-text-file.ts';

/** Each token that is not known yet is tried with each of them. */
const MAX_AUTHORITIES = 16;

/** Of 32 bytes in base58, with a line feed. */
const MAX_LINE_BYTES = 45;

const WHAT = 'The list of authorities (SIGNING_AUTH_AUTHORITIES_FILE)';

/**
 * The public keys in a list of authorities, in their order. One key a line, base58 or 64 hex digits; `#` begins a comment, and empty lines stand for nothing.
 * @param production whether a list that other users can change is refused
 * @throws OperatorError that names the file, the line and what to do
 */
export function readAuthorities(file: string, production: boolean): readonly Buffer[] {
  const text = readTextFile(
    file,
    WHAT,
    'Run `signing-service token authority`, which makes an authority and writes its public key there.',
    (_content, stats) => {
      if (production) assertTrusted(file, stats);
    },
  );
  const keys = keysIn(file, text);
  if (keys.length === 0) throw wrongNumber(file, 0);
  return keys;
}

function assertTrusted(file: string, stats: Stats): void {
  const fault = findPermissionFault(file, stats, 'trusted', 'whose tokens are believed');
  if (fault !== null) throw new OperatorError(`${WHAT}, ${file}: ${fault}.`);
}

/** A list of authorities that may not have been begun. */
export interface AuthorityList {
  /** '' where there is no file. */
  readonly text: string;
  readonly keys: readonly Buffer[];
}

/**
 * The same for whoever writes the list: where there is no file, or no key in it, nothing is wrong yet.
 * @throws OperatorError for lines that are no keys, too many of them, and files that can't be read
 */
export function readListSoFar(file: string): AuthorityList {
  const stats = statSync(file, { throwIfNoEntry: false });
  const isBlank = stats === undefined || (stats.isFile() && stats.size === 0);
  const text = isBlank ? '' : readTextFile(file, WHAT, 'Check the path.');
  return { text, keys: keysIn(file, text) };
}

/**
 * The text before the line of another authority, to be asked for before its key is made.
 * @throws OperatorError where the list would be wrong with one more, or is wrong
 */
export function textBeforeAnother(file: string): string {
  const { text, keys } = readListSoFar(file);
  if (keys.length === MAX_AUTHORITIES) {
    throw new OperatorError(
      `${WHAT}, ${file}, holds ${keys.length} public keys, which are the most. Nothing was written. Take one out that is not needed any more, then try again.`,
    );
  }
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (Buffer.byteLength(before) + MAX_LINE_BYTES <= MAX_TEXT_BYTES) return before;
  throw new OperatorError(
    `${WHAT}, ${file}, has no room for another line: ${MAX_TEXT_BYTES} bytes are the most. Nothing was written. Shorten its comments, then try again.`,
  );
}

function keysIn(file: string, text: string): readonly Buffer[] {
  const keys = text.split(/\r?\n/).flatMap((line, index) => {
    const content = line.replace(/#.*/, '').trim();
    return content === '' ? [] : [keyOfLine(file, content, index + 1)];
  });
  if (keys.length > MAX_AUTHORITIES) throw wrongNumber(file, keys.length);
  return keys;
}

function wrongNumber(file: string, found: number): OperatorError {
  return new OperatorError(
    `${WHAT}, ${file}, has to hold 1 to ${MAX_AUTHORITIES} public keys, one a line; it holds ${found}.`,
  );
}

function keyOfLine(file: string, text: string, line: number): Buffer {
  const key = parsePublicKey(text);
  if (key !== null) return key;
  throw new OperatorError(
    `${WHAT}: ${file}, line ${line}, is no Ed25519 public key in base58 or 64 hex digits. Correct the line, or take it out.`,
  );
}
