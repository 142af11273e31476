import sodium from 'sodium-native';
import { encodeHex } from './encode-hex.ts';
import { KeyFileError } from './key-file-error.ts';
import { withLockedBytes } from './locked-buffer.ts';
import { decodePlainKey } from './plain-key.ts';
import { assertPrivate } from './private-file.ts';
import { createSecretFile, withSecretFile } from './secret-file.ts';

/** The longest form has 66: 64 hex digits and a line break of two characters. */
const MAX_FILE_BYTES = 128;
const SEED_BYTES = sodium.crypto_sign_SEEDBYTES;
const HEX_DIGITS = 2 * SEED_BYTES;
const LINE_FEED = 0x0a;

/**
 * Lends the Ed25519 seed in a key file of this service, 32 bytes in locked memory, wiped however `use` ends. The file holds 64 hex digits with an optional line break, or
 * the 32 bytes themselves, and only the service's user can read it.
 *
 * @param holds what the file holds, for messages: `the audit key`
 * @throws KeyFileError when it is missing, holds something else, or can be read by more users than it has to be
 * @throws MemoryLockError when memory for it can't be locked
 */
export function withSeedFile<Result>(file: string, holds: string, use: (seed: Buffer) => Result): Result {
  return withSecretFile(file, MAX_FILE_BYTES, (content, stats) => {
    assertPrivate(file, stats, holds);
    return withLockedBytes(SEED_BYTES, (seed) => {
      if (decodePlainKey(content, seed)) return use(seed);
      throw new KeyFileError(file, `it is neither ${HEX_DIGITS} hex digits nor ${SEED_BYTES} raw bytes`);
    });
  });
}

/**
 * Creates a key file with a new random seed: 64 lower-case hex digits and a line feed, mode 0600, on disk when this returns.
 *
 * @throws KeyFileError (`isExistingFile`) when anything stands there, a dangling symbolic link
 * included
 * @throws KeyFileError when it can't be created
 * @throws MemoryLockError when memory for the seed can't be locked
 */
export function createSeedFile(file: string): void {
  withLockedBytes(SEED_BYTES, (seed) => {
    sodium.randombytes_buf(seed);
    withLockedBytes(HEX_DIGITS + 1, (text) => {
      encodeHex(seed, text);
      text.writeUInt8(LINE_FEED, HEX_DIGITS);
      createSecretFile(file, text);
    });
  });
}
