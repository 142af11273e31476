import { randomBytes } from 'node:crypto';
import sodium from 'sodium-native';
import { OperatorError } from '../../../domain/model/errors.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { formatSealed, openSecret, type SealedSecret, sealSecret } from '../../vault/secret-bytes.ts';
import { identifyMasterKey, MASTER_KEY_LENGTH, type MasterKey, type TakeMasterKey } from './master-key.ts';

/** Cost of trying a passphrase: Argon2id (RFC 9106), version 0x13, one lane. */
export interface PassphraseCost {
  /** Passes over the memory. */
  readonly passes: number;
  /** Memory, bytes. */
  readonly memory: number;
}

/** A master key encrypted under a passphrase. */
export interface PassphraseProtectedKey {
  readonly source: 'passphrase';
  /** Of the master key. */
  readonly id: string;
  readonly cost: PassphraseCost;
  /** 16 bytes. */
  readonly salt: Buffer;
  readonly sealed: SealedSecret;
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

const TEXT_PATTERN =
  /^argon2id\.v1\.([0-9a-f]{16})\.([1-9][0-9]{0,2})\.([1-9][0-9]{0,11})\.([\w-]{22})\.([\w-]{32})\.([\w-]{64})$/;

/**
 * Encrypts a master key: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), random nonce, under 32
 * bytes of Argon2id of passphrase and random salt. Associated data: the ASCII text up to the point
 * before the nonce.
 * @param passphrase UTF-8
 * @returns `argon2id.v1.<master key id>.<passes>.<bytes of memory>.<salt>.<nonce>.<ciphertext and
 * tag>`, the last three in unpadded base64url
 * @throws OperatorError if the memory cannot be allocated
 */
export function protectMasterKey(masterKey: MasterKey, passphrase: Buffer, cost: PassphraseCost): string {
  const salt = randomBytes(sodium.crypto_pwhash_SALTBYTES);
  const header = formatHeader({ id: masterKey.id, cost, salt });
  const sealed = withDerivedKey(passphrase, { salt, cost }, (derivedKey) =>
    masterKey.use((key) => sealSecret(key, Buffer.from(header), derivedKey)),
  );
  return `${header}.${formatSealed(sealed)}`;
}

/**
 * Parses the text of {@link protectMasterKey}; undefined for other text.
 * @throws OperatorError if its cost is unsafe or excessive
 */
export function parseProtectedKey(text: string): PassphraseProtectedKey | undefined {
  const [, id = '', passes, memory, saltText = '', nonce, ciphertext] = TEXT_PATTERN.exec(text) ?? [];
  if (id === '') return undefined;
  const cost = { passes: Number(passes), memory: Number(memory) };
  const salt = Buffer.from(saltText, 'base64url');
  // Node's decoder ignores stray trailing bits, which would not be authenticated.
  if (salt.toString('base64url') !== saltText) return undefined;
  if (!isBetween(cost, MIN_PASSPHRASE_COST, MAX_PASSPHRASE_COST)) {
    const [min, max] = [MIN_PASSPHRASE_COST, MAX_PASSPHRASE_COST];
    throw new OperatorError(
      `its cost parameters are out of range (${min.passes} to ${max.passes} passes over ${min.memory / MIB} to ${max.memory / MIB} MiB); ` +
        'it was modified: restore it.',
    );
  }
  return { source: 'passphrase', id, cost, salt, sealed: Buffer.from(`${nonce}${ciphertext}`, 'base64url') };
}

/**
 * Opens a protected key, and passes it on. Blocks the process.
 * @returns false if the passphrase is wrong or the text was altered, which are indistinguishable
 * @throws OperatorError if the memory cannot be allocated
 */
export function openProtectedKey(
  stored: PassphraseProtectedKey,
  passphrase: Buffer,
  take: TakeMasterKey = () => undefined,
): boolean {
  return withDerivedKey(passphrase, stored, (derivedKey) =>
    withLockedBytes(MASTER_KEY_LENGTH, (key) => {
      const header = Buffer.from(formatHeader(stored));
      try {
        openSecret(stored.sealed, header, derivedKey, key);
      } catch {
        return false;
      }
      if (identifyMasterKey(key) !== stored.id) return false;
      take(stored.id, key);
      return true;
    }),
  );
}

function formatHeader({ id, cost, salt }: Pick<PassphraseProtectedKey, 'id' | 'cost' | 'salt'>): string {
  return ['argon2id', 'v1', id, cost.passes, cost.memory, salt.toString('base64url')].join('.');
}

function withDerivedKey<Result>(
  passphrase: Buffer,
  { salt, cost }: Pick<PassphraseProtectedKey, 'salt' | 'cost'>,
  use: (derivedKey: Buffer) => Result,
): Result {
  const { passes, memory } = cost;
  return withLockedBytes(MASTER_KEY_LENGTH, (derivedKey) => {
    try {
      sodium.crypto_pwhash(derivedKey, passphrase, salt, passes, memory, sodium.crypto_pwhash_ALG_ARGON2ID13);
    } catch (error) {
      throw new OperatorError(
        `${Math.ceil(memory / MIB)} MiB of memory are needed to check its passphrase, but are not available; allow this process more memory.`,
        { cause: error },
      );
    }
    return use(derivedKey);
  });
}

function isBetween(cost: PassphraseCost, min: PassphraseCost, max: PassphraseCost): boolean {
  if (cost.passes < min.passes || cost.passes > max.passes) return false;
  return cost.memory >= min.memory && cost.memory <= max.memory;
}
