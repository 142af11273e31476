import sodium from 'sodium-native';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { decryptSecret } from '../../vault/secret-bytes.ts';
import { MASTER_KEY_LENGTH, MasterKey } from './master-key.ts';

/** Cost of trying a passphrase: Argon2id (RFC 9106), version 0x13, one lane. */
export interface PassphraseCost {
  /** Passes over the memory. */
  readonly passes: number;
  /** Memory, bytes. */
  readonly memory: number;
}

export interface WrappedMasterKey {
  readonly id: string;
  readonly cost: PassphraseCost;
  /** 16 bytes. */
  readonly salt: Buffer;
  /** 24 bytes. */
  readonly nonce: Buffer;
  /** 32-byte key, encrypted, and 16-byte tag. */
  readonly ciphertext: Buffer;
}

/** Wrapping or unwrapping failed. The message is a clause about "it", the file, without secrets. */
export class WrappedMasterKeyError extends Error {
  override readonly name = 'WrappedMasterKeyError';
}

/** Libsodium's `MODERATE`: 3 passes over 256 MiB, some tenths of a second. */
export const PASSPHRASE_COST: PassphraseCost = {
  passes: sodium.crypto_pwhash_OPSLIMIT_MODERATE,
  memory: sodium.crypto_pwhash_MEMLIMIT_MODERATE,
};

/** Libsodium's `INTERACTIVE`. A cheaper file was tampered with to have its passphrase guessed. */
export const MIN_PASSPHRASE_COST: PassphraseCost = {
  passes: sodium.crypto_pwhash_OPSLIMIT_INTERACTIVE,
  memory: sodium.crypto_pwhash_MEMLIMIT_INTERACTIVE,
};

const MIB = 2 ** 20;
/** Some seconds; a costlier file could block a service's start. */
const MAX_PASSPHRASE_COST: PassphraseCost = { passes: 10, memory: 1024 * MIB };

const NONCE_LENGTH = 24;
const TAG_LENGTH = 16;
const TEXT_PATTERN =
  /^argon2id\.v1\.([0-9a-f]{16})\.([1-9][0-9]{0,2})\.([1-9][0-9]{0,11})\.([\w-]{22})\.([\w-]{32})\.([\w-]{64})$/;

/**
 * Wraps a master key: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), random nonce, under 32 bytes
 * of Argon2id of passphrase and random salt. Associated data: the ASCII text up to the point before
 * the nonce.
 * @param passphrase UTF-8
 * @returns `argon2id.v1.<master key id>.<passes>.<bytes of memory>.<salt>.<nonce>.<ciphertext and
 * tag>`, the last three in unpadded base64url
 * @throws WrappedMasterKeyError if the memory cannot be allocated
 */
export function wrapMasterKey(masterKey: MasterKey, passphrase: Buffer, cost: PassphraseCost): string {
  const salt = randomBytes(sodium.crypto_pwhash_SALTBYTES);
  const nonce = randomBytes(NONCE_LENGTH);
  const ciphertext = Buffer.alloc(MASTER_KEY_LENGTH + TAG_LENGTH);
  const header = formatHeader({ id: masterKey.id, cost, salt });
  withDerivedKey(passphrase, salt, cost, (wrappingKey) =>
    masterKey.use((key) => {
      const context = Buffer.from(header);
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, key, context, null, nonce, wrappingKey);
    }),
  );
  return [header, nonce.toString('base64url'), ciphertext.toString('base64url')].join('.');
}

/**
 * Parses the text of {@link wrapMasterKey}; undefined for other text.
 * @throws WrappedMasterKeyError if its cost is unsafe or excessive
 */
export function parseWrappedMasterKey(text: string): WrappedMasterKey | undefined {
  const [, id = '', passes, memory, saltText = '', nonce = '', ciphertext = ''] = TEXT_PATTERN.exec(text) ?? [];
  if (id === '') return undefined;
  const cost = { passes: Number(passes), memory: Number(memory) };
  const salt = fromBase64url(saltText);
  // Node's decoder ignores stray trailing bits, which would not be authenticated.
  if (salt.toString('base64url') !== saltText) return undefined;
  if (!isBetween(cost, MIN_PASSPHRASE_COST, MAX_PASSPHRASE_COST)) {
    const [min, max] = [MIN_PASSPHRASE_COST, MAX_PASSPHRASE_COST];
    throw new WrappedMasterKeyError(
      `its cost parameters are out of range (${min.passes} to ${max.passes} passes over ${min.memory / MIB} to ${max.memory / MIB} MiB); ` +
        'it was modified: restore it',
    );
  }
  return { id, cost, salt, nonce: fromBase64url(nonce), ciphertext: fromBase64url(ciphertext) };
}

/**
 * Opens a wrapped key in locked memory; undefined if the passphrase is wrong or the text was
 * altered, which are indistinguishable. Blocks the process.
 * @throws WrappedMasterKeyError if the memory cannot be allocated
 */
export function unwrapMasterKey(wrapped: WrappedMasterKey, passphrase: Buffer): MasterKey | undefined {
  const { salt, nonce, ciphertext, cost } = wrapped;
  return withDerivedKey(passphrase, salt, cost, (wrappingKey) => {
    const header = Buffer.from(formatHeader(wrapped));
    let isAuthentic = true;
    const masterKey = MasterKey.fill((key) => {
      try {
        decryptSecret(key, ciphertext, header, nonce, wrappingKey);
      } catch {
        isAuthentic = false;
      }
    });
    if (isAuthentic && masterKey.id === wrapped.id) return masterKey;
    masterKey.destroy();
    return undefined;
  });
}

function formatHeader({ id, cost, salt }: Pick<WrappedMasterKey, 'id' | 'cost' | 'salt'>): string {
  return ['argon2id', 'v1', id, cost.passes, cost.memory, salt.toString('base64url')].join('.');
}

function withDerivedKey<Result>(
  passphrase: Buffer,
  salt: Buffer,
  { passes, memory }: PassphraseCost,
  use: (wrappingKey: Buffer) => Result,
): Result {
  return withLockedBytes(MASTER_KEY_LENGTH, (wrappingKey) => {
    try {
      sodium.crypto_pwhash(wrappingKey, passphrase, salt, passes, memory, sodium.crypto_pwhash_ALG_ARGON2ID13);
    } catch (error) {
      throw new WrappedMasterKeyError(
        `${Math.ceil(memory / MIB)} MiB of memory are needed to check its passphrase, but are not available; allow this process more memory`,
        { cause: error },
      );
    }
    return use(wrappingKey);
  });
}

function isBetween(cost: PassphraseCost, min: PassphraseCost, max: PassphraseCost): boolean {
  if (cost.passes < min.passes || cost.passes > max.passes) return false;
  return cost.memory >= min.memory && cost.memory <= max.memory;
}

function randomBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  sodium.randombytes_buf(bytes);
  return bytes;
}

function fromBase64url(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
