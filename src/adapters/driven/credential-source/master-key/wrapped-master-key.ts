import sodium from 'sodium-native';
import { withLockedBytes } from '../../../../secure-memory/locked-buffer.ts';
import { MASTER_KEY_LENGTH, MasterKey } from './master-key.ts';

/** What it costs to try one passphrase: Argon2id (RFC 9106), version 0x13, with one lane. */
export interface PassphraseCost {
  /** Passes over the memory. */
  readonly passes: number;
  /** Memory, bytes. */
  readonly memory: number;
}

/** A master key that only its passphrase opens, as its file holds it. */
export interface WrappedMasterKey {
  /** Id of the master key in it. */
  readonly id: string;
  readonly cost: PassphraseCost;
  /** 16 bytes. */
  readonly salt: Buffer;
  /** 24 bytes. */
  readonly nonce: Buffer;
  /** The 32 bytes of the master key, encrypted, and a tag of 16 bytes. */
  readonly ciphertext: Buffer;
}

/** A master key can't be wrapped or unwrapped. The message is a clause about "it", the file; nothing of key or passphrase is in it. */
export class WrappedMasterKeyError extends Error {
  override readonly name = 'WrappedMasterKeyError';
}

/** Libsodium's `MODERATE`: 3 passes over 256 MiB, some tenths of a second. */
export const PASSPHRASE_COST: PassphraseCost = {
  passes: sodium.crypto_pwhash_OPSLIMIT_MODERATE,
  memory: sodium.crypto_pwhash_MEMLIMIT_MODERATE,
};

/** Libsodium's `INTERACTIVE`. A file that asks for less was made by hand, or to have its passphrase guessed. */
export const LEAST_PASSPHRASE_COST: PassphraseCost = {
  passes: sodium.crypto_pwhash_OPSLIMIT_INTERACTIVE,
  memory: sodium.crypto_pwhash_MEMLIMIT_INTERACTIVE,
};

const MIB = 2 ** 20;
/** A file that asks for more could keep a service from starting: this takes some seconds. */
const MOST_PASSPHRASE_COST: PassphraseCost = { passes: 10, memory: 1024 * MIB };

const NONCE_LENGTH = 24;
const TAG_LENGTH = 16;
const TEXT_PATTERN =
  /^argon2id\.v1\.([0-9a-f]{16})\.([1-9][0-9]{0,2})\.([1-9][0-9]{0,11})\.([\w-]{22})\.([\w-]{32})\.([\w-]{64})$/;

/**
 * Wraps a master key: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), with a random nonce, under the 32 bytes that Argon2id makes of the passphrase
 * and a random salt. The associated data is the ASCII text before the point in front of the nonce.
 *
 * @param passphrase exactly the bytes that were typed, UTF-8
 * @returns `argon2id.v1.<id of the master key>.<passes>.<bytes of memory>.<salt>.<nonce>.<ciphertext and tag>`, the last three in unpadded base64url
 * @throws WrappedMasterKeyError when the memory that the cost names can't be had
 */
export function wrapMasterKey(masterKey: MasterKey, passphrase: Buffer, cost: PassphraseCost): string {
  const salt = randomBytes(sodium.crypto_pwhash_SALTBYTES);
  const nonce = randomBytes(NONCE_LENGTH);
  const ciphertext = Buffer.alloc(MASTER_KEY_LENGTH + TAG_LENGTH);
  const header = headerOf({ id: masterKey.id, cost, salt });
  withDerivedKey(passphrase, salt, cost, (wrappingKey) =>
    masterKey.use((key) => {
      const context = Buffer.from(header);
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, key, context, null, nonce, wrappingKey);
    }),
  );
  return [header, nonce.toString('base64url'), ciphertext.toString('base64url')].join('.');
}

/**
 * Reads what {@link wrapMasterKey} wrote, without its passphrase; undefined when the text is something else.
 * @throws WrappedMasterKeyError when it asks for less than is safe, or for so much that it would stop the service
 */
export function parseWrappedMasterKey(text: string): WrappedMasterKey | undefined {
  const [, id = '', passes, memory, saltText = '', nonce = '', ciphertext = ''] = TEXT_PATTERN.exec(text) ?? [];
  if (id === '') return undefined;
  const cost = { passes: Number(passes), memory: Number(memory) };
  const salt = fromBase64url(saltText);
  // Node's decoder ignores stray bits at the end, which would then not be bound.
  if (salt.toString('base64url') !== saltText) return undefined;
  if (!isBetween(cost, LEAST_PASSPHRASE_COST, MOST_PASSPHRASE_COST)) {
    const [least, most] = [LEAST_PASSPHRASE_COST, MOST_PASSPHRASE_COST];
    throw new WrappedMasterKeyError(
      `its cost is none that this service takes (${least.passes} to ${most.passes} passes over ${least.memory / MIB} to ${most.memory / MIB} MiB); ` +
        'it was altered: restore it',
    );
  }
  return { id, cost, salt, nonce: fromBase64url(nonce), ciphertext: fromBase64url(ciphertext) };
}

/**
 * Opens a wrapped master key in locked memory; undefined when the passphrase is not its own, or the text was altered: nobody can tell these apart.
 * It takes as long as its cost says, and the process does nothing else meanwhile.
 * @throws WrappedMasterKeyError when the memory that the cost names can't be had
 */
export function unwrapMasterKey(wrapped: WrappedMasterKey, passphrase: Buffer): MasterKey | undefined {
  const { salt, nonce, ciphertext, cost } = wrapped;
  return withDerivedKey(passphrase, salt, cost, (wrappingKey) => {
    const header = Buffer.from(headerOf(wrapped));
    let isAuthentic = true;
    const masterKey = MasterKey.fill((key) => {
      try {
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(key, null, ciphertext, header, nonce, wrappingKey);
      } catch {
        isAuthentic = false;
      }
    });
    if (isAuthentic && masterKey.id === wrapped.id) return masterKey;
    masterKey.destroy();
    return undefined;
  });
}

function headerOf({ id, cost, salt }: Pick<WrappedMasterKey, 'id' | 'cost' | 'salt'>): string {
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
        `${Math.ceil(memory / MIB)} MiB of memory are needed for a moment to check its passphrase, and could not be had; allow this process more memory`,
        { cause: error },
      );
    }
    return use(wrappingKey);
  });
}

function isBetween(cost: PassphraseCost, least: PassphraseCost, most: PassphraseCost): boolean {
  if (cost.passes < least.passes || cost.passes > most.passes) return false;
  return cost.memory >= least.memory && cost.memory <= most.memory;
}

function randomBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  sodium.randombytes_buf(bytes);
  return bytes;
}

function fromBase64url(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
