import sodium from 'sodium-native';
import { encodeHex } from '../../../../secure-memory/encode-hex.ts';
import { isMissingFile, KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { withLockedBytes } from '../../../../secure-memory/locked-buffer.ts';
import { decodePlainKey } from '../../../../secure-memory/plain-key.ts';
import { assertPrivate } from '../../../../secure-memory/private-file.ts';
import { createSecretFile, withSecretFile } from '../../../../secure-memory/secret-file.ts';
import { AuditKeyError, INIT_ADVICE } from './audit-key-error.ts';

/** The longest form has 66: 64 hex digits and a line break of two characters. */
const MAX_FILE_BYTES = 128;
const SEED_BYTES = sodium.crypto_sign_SEEDBYTES;
const HEX_DIGITS = 2 * SEED_BYTES;
const LINE_FEED = 0x0a;

/**
 * Lends the seed in an audit key file, 32 bytes in locked memory, wiped however `use` ends. The file holds 64 hex digits with an optional line break, or
 * the 32 bytes themselves, and only the service's user can read it.
 *
 * @throws AuditKeyError when it is missing, holds something else, or can be read by more users than it has to be
 * @throws MemoryLockError when memory for it can't be locked
 */
export function withAuditSeed<Result>(file: string, use: (seed: Buffer) => Result): Result {
  try {
    return withSecretFile(file, MAX_FILE_BYTES, (content, stats) => {
      assertPrivate(file, stats, 'the audit key');
      return withLockedBytes(SEED_BYTES, (seed) => {
        if (decodePlainKey(content, seed)) return use(seed);
        throw new KeyFileError(file, `it is neither ${HEX_DIGITS} hex digits nor ${SEED_BYTES} raw bytes`);
      });
    });
  } catch (error) {
    throw asAuditKeyError(error);
  }
}

/**
 * Creates an audit key file with a new random seed: 64 lower-case hex digits and a line feed, mode 0600, on disk when this returns.
 *
 * @throws KeyFileExistsError when anything stands there, a dangling symbolic link included
 * @throws KeyFileError when it can't be created
 * @throws MemoryLockError when memory for the seed can't be locked
 */
export function createAuditKeyFile(file: string): void {
  withLockedBytes(SEED_BYTES, (seed) => {
    sodium.randombytes_buf(seed);
    withLockedBytes(HEX_DIGITS + 1, (text) => {
      encodeHex(seed, text);
      text.writeUInt8(LINE_FEED, HEX_DIGITS);
      createSecretFile(file, text);
    });
  });
}

function asAuditKeyError(error: unknown): unknown {
  if (!(error instanceof KeyFileError)) return error;
  const remedy = isMissingFile(error)
    ? `Restore it, or set SIGNING_AUDIT_KEY_FILE to where it is; if there never was one, ${INIT_ADVICE}.`
    : `Mend it, or set SIGNING_AUDIT_KEY_FILE to another; where it is lost, move it and its .pub aside and ${INIT_ADVICE}.`;
  return new AuditKeyError(`The audit key can not be read: ${error.message}. ${remedy}`, { cause: error });
}
