import { type Stats, statSync } from 'node:fs';
import sodium from 'sodium-native';
import { decodeHex } from '../../../secure-memory/decode-hex.ts';
import { withoutFinalNewline } from '../../../secure-memory/final-newline.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { LockedBuffer, withLockedBytes } from '../../../secure-memory/locked-buffer.ts';
import { createSecretFile, withSecretFile } from '../../../secure-memory/secret-file.ts';
import { systemErrorCode } from './system-error-code.ts';

/** Bytes of a master key (XChaCha20-Poly1305). */
export const MASTER_KEY_LENGTH = 32;

const HEX_DIGITS = 2 * MASTER_KEY_LENGTH;
const LINE_BREAK = 2;
const ID_DOMAIN = Buffer.from('signing-service/master-key-id/v1');
const ID_BYTES = 8;
const GROUP_OR_OTHERS = 0o077;
const GROUP_WRITE_OR_OTHERS = 0o027;

/**
 * The key that seals the keys in the credentials file. It goes from its file into locked memory and stays there until `destroy`.
 *
 * Its file holds exactly 32 raw bytes, or 64 hex digits with an optional line break behind them.
 */
export class MasterKey {
  /**
   * Names the key and reveals nothing of it: the first 16 lower-case hex digits of BLAKE2b-256 (RFC 7693), keyed by the master key, over the
   * ASCII text `signing-service/master-key-id/v1`.
   */
  readonly id: string;
  readonly #bytes: LockedBuffer;

  private constructor(bytes: LockedBuffer) {
    this.#bytes = bytes;
    this.id = bytes.use(identify);
  }

  /**
   * Reads the key from its file.
   * @throws KeyFileError when it can't be read, is no master key, or may be read by more users than it has to be
   * @throws MemoryLockError when memory for it can't be locked
   */
  static load(file: string): MasterKey {
    assertPrivate(file, statistics(file));
    const bytes = new LockedBuffer(MASTER_KEY_LENGTH);
    try {
      withSecretFile(file, HEX_DIGITS + LINE_BREAK, (content) => bytes.use((key) => decode(file, content, key)));
      return new MasterKey(bytes);
    } catch (error) {
      bytes.free();
      throw error;
    }
  }

  /**
   * Creates the file with a new random key, 32 raw bytes, mode 0600, durable on return.
   * @throws KeyFileExistsError when anything stands there already
   * @throws KeyFileError when it can't be written; no file is left then
   */
  static create(file: string): void {
    withLockedBytes(MASTER_KEY_LENGTH, (key) => {
      sodium.randombytes_buf(key);
      createSecretFile(file, key);
    });
  }

  /** Lends the 32 bytes to a synchronous callback. Not re-entrant. */
  use<Result>(action: (key: Buffer) => Result): Result {
    return this.#bytes.use(action);
  }

  /** Wipes the key. Afterwards `use` throws. Safe to call twice. */
  destroy(): void {
    this.#bytes.free();
  }
}

function identify(key: Buffer): string {
  const digest = Buffer.alloc(32);
  sodium.crypto_generichash(digest, ID_DOMAIN, key);
  return digest.toString('hex', 0, ID_BYTES);
}

function statistics(file: string): Stats {
  try {
    return statSync(file);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') {
      throw new KeyFileError(file, `the master key can't be read (${systemErrorCode(error)})`, error);
    }
    throw new KeyFileError(
      file,
      'there is no master key; restore it, or set SIGNING_MASTER_KEY_FILE to where it is; if there never was one, run `signing-service init`',
      error,
    );
  }
}

/**
 * A mounted secret that belongs to another user (systemd's LoadCredential=, a Kubernetes volume with fsGroup) is read through its group, so that
 * group may read it.
 */
function assertPrivate(file: string, { mode, uid }: Stats): void {
  const forbidden = uid === process.geteuid?.() ? GROUP_OR_OTHERS : GROUP_WRITE_OR_OTHERS;
  if ((mode & forbidden) === 0) return;
  throw new KeyFileError(
    file,
    'other users have access to the master key; run `chmod 600` on it (a mounted secret that belongs to another user: mode 0440)',
  );
}

function decode(file: string, content: Buffer, key: Buffer): void {
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
    `it holds no master key, which is ${MASTER_KEY_LENGTH} raw bytes or ${HEX_DIGITS} hex digits; check SIGNING_MASTER_KEY_FILE`,
  );
}
