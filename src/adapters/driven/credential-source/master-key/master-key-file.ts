import type { Stats } from 'node:fs';
import { decodeHex } from '../../../../secure-memory/decode-hex.ts';
import { withoutFinalNewline } from '../../../../secure-memory/final-newline.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { withSecretFile } from '../../../../secure-memory/secret-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { MASTER_KEY_LENGTH, MasterKey } from './master-key.ts';
import { parseWrappedMasterKey, type WrappedMasterKey, WrappedMasterKeyError } from './wrapped-master-key.ts';

/** A master key that its file holds as it is, in locked memory. */
export interface StoredPlainKey {
  readonly kind: 'plain';
  readonly file: string;
  readonly id: string;
  readonly key: MasterKey;
}

/** A master key that its file holds under a passphrase, unopened. */
export interface StoredWrappedKey {
  readonly kind: 'wrapped';
  readonly file: string;
  readonly id: string;
  readonly wrapped: WrappedMasterKey;
}

/** What a master key file holds. */
export type StoredMasterKey = StoredPlainKey | StoredWrappedKey;

/** The most bytes that a master key file may have; the longest form has fewer than 200. */
export const MAX_MASTER_KEY_FILE_BYTES = 512;

const HEX_DIGITS = 2 * MASTER_KEY_LENGTH;
const WRAPPED_START = Buffer.from('argon2id.');
const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;
const PLAIN_PATH = /^[\w@%+=:,./-]+$/;

/**
 * Reads a master key file: exactly 32 raw bytes, or 64 hex digits, or the text of a wrapped key, these with an optional line break behind them.
 *
 * @returns a plain key in locked memory, which the caller destroys; a wrapped one unopened
 * @throws KeyFileError when it can't be read, holds no master key, or may be read by more users than it has to be
 * @throws MemoryLockError when memory for it can't be locked
 */
export function readMasterKeyFile(file: string): StoredMasterKey {
  return withSecretFile(file, MAX_MASTER_KEY_FILE_BYTES, (content, stats) => {
    assertPrivate(file, stats);
    return decode(file, content);
  });
}

/** Wipes the key that {@link readMasterKeyFile} returned, where it did. Safe to call twice. */
export function forgetStoredKey(stored: StoredMasterKey | undefined): void {
  if (stored?.kind === 'plain') stored.key.destroy();
}

/** Whether a reading failed because nothing stands at the path. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof KeyFileError && systemErrorCode(error.cause) === 'ENOENT';
}

/**
 * A mounted secret that belongs to another user (systemd's LoadCredential=, a Kubernetes volume with fsGroup) is read through its group, so that
 * group may read it.
 */
function assertPrivate(file: string, { mode, uid }: Stats): void {
  const isOwn = uid === process.geteuid?.();
  const forbidden = isOwn ? GROUP_OR_OTHERS : GROUP_WRITE_OR_OTHERS;
  if ((mode & forbidden) === 0) return;
  throw new KeyFileError(
    file,
    `other users have access to the master key (its mode is 0${(mode & 0o777).toString(8)}); run \`chmod ${isOwn ? '600' : '440'} ${shellWord(file)}\`. ` +
      'A mounted secret gets its mode where it is mounted, and by default one that is too open: `defaultMode: 0400` of a Kubernetes volume, ' +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 where the file belongs to another user than the one who runs this program',
  );
}

function decode(file: string, content: Buffer): StoredMasterKey {
  const text = withoutFinalNewline(content);
  if (text.subarray(0, WRAPPED_START.length).equals(WRAPPED_START)) return decodeWrapped(file, text);
  const key = MasterKey.fill((bytes) => decodePlain(file, content, bytes));
  return { kind: 'plain', file, id: key.id, key };
}

function decodeWrapped(file: string, text: Buffer): StoredMasterKey {
  try {
    const wrapped = parseWrappedMasterKey(text.toString('latin1'));
    if (wrapped === undefined) throw malformed(file);
    return { kind: 'wrapped', file, id: wrapped.id, wrapped };
  } catch (error) {
    if (error instanceof WrappedMasterKeyError) throw new KeyFileError(file, error.message, error);
    throw error;
  }
}

function decodePlain(file: string, content: Buffer, key: Buffer): void {
  if (content.length === MASTER_KEY_LENGTH && !content.every(isHexDigit)) {
    content.copy(key);
    return;
  }
  if (withoutFinalNewline(content).length !== HEX_DIGITS) throw malformed(file);
  try {
    if (decodeHex(content, key) === MASTER_KEY_LENGTH) return;
  } catch {
    // What the decoder says fits any key file; below stands what a master key is.
  }
  throw malformed(file);
}

/** As raw bytes, 32 hex digits would be a key of 16 bytes that someone wrote as text. */
function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function malformed(file: string): KeyFileError {
  return new KeyFileError(
    file,
    `it holds no master key, which is ${MASTER_KEY_LENGTH} raw bytes, ${HEX_DIGITS} hex digits, or a line that begins with argon2id.v1.; ` +
      'restore it, or correct the setting that names it',
  );
}

function shellWord(text: string): string {
  return PLAIN_PATH.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
