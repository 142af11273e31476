import sodium from 'sodium-native';
import { fileError } from '../files/file-advice.ts';
import { createSecretFile } from '../files/replace-file.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { assertPrivate, withSecretFile } from './secret-file.ts';
import { decodeHex, encodeHex, isHexDigit, withoutFinalNewline } from './secret-text.ts';

/** 64 hex digits and a two-byte line break are 66. */
const MAX_FILE_BYTES = 128;
const SEED_BYTES = sodium.crypto_sign_SEEDBYTES;
const HEX_DIGITS = 2 * SEED_BYTES;
const LINE_FEED = 0x0a;

/**
 * Reads an Ed25519 seed file of this service (32 raw bytes or 64 hex digits, readable only by its
 * user), passes the 32 bytes in locked memory to `use` and wipes them.
 * @param description of the content, for messages: `the audit key`
 * @throws OperatorError if missing, malformed or accessible to others
 */
export function withSeedFile<Result>(file: string, description: string, use: (seed: Buffer) => Result): Result {
  return withSecretFile(file, MAX_FILE_BYTES, (content, stats) => {
    assertPrivate(file, stats, description);
    // Hex digits are never raw bytes: they would be a shorter key.
    if (content.length === SEED_BYTES && !content.every(isHexDigit)) return use(content);
    return withLockedBytes(SEED_BYTES, (seed) => {
      if (decodeHex(withoutFinalNewline(content), seed)) return use(seed);
      throw fileError(file, `it is neither ${HEX_DIGITS} hex digits nor ${SEED_BYTES} raw bytes`);
    });
  });
}

/**
 * Creates a key file with a random seed: 64 lowercase hex digits and a line feed, mode 0600,
 * durable.
 * @throws OperatorError, of code EEXIST if the path exists, also as a dangling symbolic link
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
