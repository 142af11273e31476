import sodium from 'sodium-native';
import { fileError } from '../files/file-advice.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { assertPrivate, createSecretFile, withSecretFile } from './secret-file.ts';
import { decodeHex, encodeHex, isHexDigit, withoutFinalNewline } from './secret-text.ts';

/**
 * Decodes a raw or hex key with optional final newline into `key`, which has the key's length.
 * All-hex content is never raw: it would be a shorter key.
 * @returns whether `content` is such a key; if not, `key` may be partly written
 */
export function decodePlainKey(content: Buffer, key: Buffer): boolean {
  if (content.length === key.length && !content.every(isHexDigit)) {
    copySecret(content, key);
    return true;
  }
  return decodeHex(withoutFinalNewline(content), key);
}

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
    return withLockedBytes(SEED_BYTES, (seed) => {
      if (decodePlainKey(content, seed)) return use(seed);
      throw fileError(file, `it is neither ${HEX_DIGITS} hex digits nor ${SEED_BYTES} raw bytes`);
    });
  });
}

/**
 * Creates a key file with a random seed: 64 lowercase hex digits and a line feed, mode 0600,
 * durable.
 * @throws OperatorError, `isExistingFile` if the path exists, also as a dangling symbolic link
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
