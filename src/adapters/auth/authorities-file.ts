import { type Stats, statSync } from 'node:fs';
import { OperatorError } from '../../domain/model/errors.ts';
import { findPermissionIssue } from '../files/file-permissions.ts';
import { pathExists } from '../files/replace-file.ts';
import { MAX_TEXT_BYTES, parsePublicKey, readTextFile } from './public-key-file.ts';

/** Bounds the signature checks per unknown token. */
const MAX_AUTHORITIES = 16;

/** Base58 of 32 bytes and a line feed. */
const MAX_LINE_BYTES = 45;

const LABEL = 'The list of authorities (SIGNING_AUTH_AUTHORITIES_FILE)';

/**
 * The listed public keys in order. One per line, base58 or 64 hex digits; `#` starts a comment.
 * @param production whether to reject a list that other users can change
 * @throws OperatorError that names file, line and remedy
 */
export function readAuthorities(file: string, production: boolean): readonly Buffer[] {
  const text = readTextFile(
    file,
    LABEL,
    'Run `signing-service token authority`, which creates an authority and adds its public key to the list.',
    (_content, stats) => {
      if (production) assertTrustedFile(file, stats);
    },
  );
  const keys = parseKeys(file, text);
  if (keys.length === 0) throw countError(file, 0);
  return keys;
}

function assertTrustedFile(file: string, stats: Stats): void {
  const issue = findPermissionIssue(file, stats, 'trusted', 'the trusted authorities');
  if (issue !== null) throw new OperatorError(`${LABEL}, ${file}: ${issue}.`);
}

/** A list of authorities that may be empty or missing. */
interface AuthorityList {
  /** '' if there is no file. */
  readonly text: string;
  readonly keys: readonly Buffer[];
}

/**
 * The list before an edit; a missing or empty one is valid.
 * @throws OperatorError on invalid lines, too many keys or unreadable files
 */
export function readListForEdit(file: string): AuthorityList {
  const isBlank = !pathExists(file) || isEmptyFile(file);
  const text = isBlank ? '' : readTextFile(file, LABEL, 'Check the path.');
  return { text, keys: parseKeys(file, text) };
}

function isEmptyFile(file: string): boolean {
  const stats = statSync(file);
  return stats.isFile() && stats.size === 0;
}

/**
 * The text to append another authority to; call it before creating a key.
 * @throws OperatorError if the list is invalid or full
 */
export function getTextToAppendTo(file: string): string {
  const { text, keys } = readListForEdit(file);
  if (keys.length === MAX_AUTHORITIES) {
    throw new OperatorError(
      `${LABEL}, ${file}, contains ${keys.length} public keys, the maximum. Nothing was written. Remove one that is no longer needed, then try again.`,
    );
  }
  const before = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  if (Buffer.byteLength(before) + MAX_LINE_BYTES <= MAX_TEXT_BYTES) return before;
  throw new OperatorError(
    `${LABEL}, ${file}, cannot take another line: ${MAX_TEXT_BYTES} bytes are the maximum. Nothing was written. Shorten its comments, then try again.`,
  );
}

function parseKeys(file: string, text: string): readonly Buffer[] {
  const keys = text.split(/\r?\n/).flatMap((line, index) => {
    const content = line.replace(/#.*/, '').trim();
    return content === '' ? [] : [parseKeyLine(file, content, index + 1)];
  });
  if (keys.length > MAX_AUTHORITIES) throw countError(file, keys.length);
  return keys;
}

function countError(file: string, found: number): OperatorError {
  return new OperatorError(
    `${LABEL}, ${file}, must contain 1 to ${MAX_AUTHORITIES} public keys, one per line; it contains ${found}.`,
  );
}

function parseKeyLine(file: string, text: string, line: number): Buffer {
  const key = parsePublicKey(text);
  if (key !== null) return key;
  throw new OperatorError(
    `${LABEL}: ${file}, line ${line}, is not an Ed25519 public key in base58 or 64 hex digits. Correct or remove the line.`,
  );
}
