import { withoutFinalNewline } from '../../../../secure-memory/final-newline.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { decodePlainKey } from '../../../../secure-memory/plain-key.ts';
import { assertPrivate } from '../../../../secure-memory/private-file.ts';
import { withSecretFile } from '../../../../secure-memory/secret-file.ts';
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

/**
 * Reads a master key file: exactly 32 raw bytes, or 64 hex digits, or the text of a wrapped key, these with an optional line break behind them.
 *
 * @returns a plain key in locked memory, which the caller destroys; a wrapped one unopened
 * @throws KeyFileError when it can't be read, holds no master key, or may be read by more users than it has to be
 * @throws MemoryLockError when memory for it can't be locked
 */
export function readMasterKeyFile(file: string): StoredMasterKey {
  return withSecretFile(file, MAX_MASTER_KEY_FILE_BYTES, (content, stats) => {
    assertPrivate(file, stats, 'the master key');
    return decode(file, content);
  });
}

/** Wipes the key that {@link readMasterKeyFile} returned, where it did. Safe to call twice. */
export function forgetStoredKey(stored: StoredMasterKey | undefined): void {
  if (stored?.kind === 'plain') stored.key.destroy();
}

function decode(file: string, content: Buffer): StoredMasterKey {
  const text = withoutFinalNewline(content);
  if (text.subarray(0, WRAPPED_START.length).equals(WRAPPED_START)) return decodeWrapped(file, text);
  const key = MasterKey.fill((bytes) => {
    if (!decodePlainKey(content, bytes)) throw malformed(file);
  });
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

function malformed(file: string): KeyFileError {
  return new KeyFileError(
    file,
    `it holds no master key, which is ${MASTER_KEY_LENGTH} raw bytes, ${HEX_DIGITS} hex digits, or a line that begins with argon2id.v1.; ` +
      'restore it, or correct the setting that names it',
  );
}
