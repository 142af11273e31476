import { assertPrivate, KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import { withoutFinalNewline } from '../../key-files/secret-text.ts';
import { decodePlainKey } from '../../key-files/seed-file.ts';
import { MASTER_KEY_LENGTH, MasterKey } from './master-key.ts';
import { isEnvelopeText, type MasterKeyEnvelope, parseEnvelope } from './master-key-envelope.ts';
import { parseWrappedMasterKey, type WrappedMasterKey, WrappedMasterKeyError } from './wrapped-master-key.ts';

/** A plaintext master key, in locked memory. */
interface StoredPlainKey {
  readonly kind: 'plain';
  readonly file: string;
  readonly id: string;
  readonly key: MasterKey;
}

/** A master key under a passphrase, unopened. */
export interface StoredWrappedKey {
  readonly kind: 'wrapped';
  readonly file: string;
  readonly id: string;
  readonly wrapped: WrappedMasterKey;
}

/** A master key under a key of a service or token, unopened. */
export interface StoredEnvelope {
  readonly kind: 'enveloped';
  readonly file: string;
  readonly id: string;
  readonly envelope: MasterKeyEnvelope;
}

export type StoredMasterKey = StoredPlainKey | StoredWrappedKey | StoredEnvelope;

/** Size limit; the longest valid form, an envelope, is under 1600 bytes. */
export const MAX_MASTER_KEY_FILE_BYTES = 2048;

const HEX_DIGITS = 2 * MASTER_KEY_LENGTH;
const WRAPPED_START = Buffer.from('argon2id.');

/**
 * Reads a master key file: 32 raw bytes, 64 hex digits, a wrapped key or an envelope, the
 * latter three with optional line break.
 * @returns a plain key in locked memory, which the caller destroys, or an unopened one
 * @throws KeyFileError if unreadable, malformed or accessible to others; MemoryLockError
 */
export function readMasterKeyFile(file: string): StoredMasterKey {
  return withSecretFile(file, MAX_MASTER_KEY_FILE_BYTES, (content, stats) => {
    assertPrivate(file, stats, 'the master key');
    return decode(file, content);
  });
}

/** Wipes a plain key. Idempotent. */
export function removeStoredKey(stored: StoredMasterKey | undefined): void {
  if (stored?.kind === 'plain') stored.key.destroy();
}

function decode(file: string, content: Buffer): StoredMasterKey {
  const text = withoutFinalNewline(content);
  if (text.subarray(0, WRAPPED_START.length).equals(WRAPPED_START)) return decodeWrapped(file, text);
  if (isEnvelopeText(text)) return decodeEnvelope(file, text);
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

function decodeEnvelope(file: string, text: Buffer): StoredMasterKey {
  const envelope = parseEnvelope(text.toString('latin1'));
  if (envelope === undefined) throw malformed(file);
  return { kind: 'enveloped', file, id: envelope.id, envelope };
}

function malformed(file: string): KeyFileError {
  return new KeyFileError(
    file,
    `it contains no master key (${MASTER_KEY_LENGTH} raw bytes, ${HEX_DIGITS} hex digits, or a line that begins with argon2id.v1. vault-transit.v1. gcp-kms.v1. aws-kms.v1. or pkcs11.v1.); ` +
      'restore it, or correct its setting',
  );
}
