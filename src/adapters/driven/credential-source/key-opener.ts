import { dirname, resolve } from 'node:path';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { LockedBuffer, MemoryLockError } from '../../../secure-memory/locked-buffer.ts';
import { MalformedSecretError } from '../../../secure-memory/malformed-secret-error.ts';
import { withAccountKeyFile } from './account-key-file.ts';
import type { AccountEntry } from './account-schema.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { withPlaintextKey } from './plaintext-key.ts';
import { openSealedKey, SEALED_KEY_LENGTHS, SealedKeyError } from './sealed-key.ts';
import type { WantedKey } from './wanted-key.ts';

const LEADS_NOWHERE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** An account's key can't be had from where the credentials file says it is. The message holds nothing of the key. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError';
}

/** Opens the keys of one reading of a credentials file, until it is closed. */
export class KeyOpener {
  readonly #folder: string;
  readonly #masterKeys: MasterKeyRing | undefined;
  /**
   * All sealed keys are opened in it, one after the other: what is freed is unlocked at once but unmapped only in a later turn of the event loop, so that a
   * buffer for each key would reach the limit on mappings (vm.max_map_count, some 16,000 buffers).
   */
  #memory: LockedBuffer | undefined;
  #closed = false;

  /**
   * @param file the credentials file; relative paths in it start at its folder
   * @param masterKeys closed by `close`; needed when a key is sealed
   */
  constructor(file: string, masterKeys: MasterKeyRing | undefined) {
    this.#folder = dirname(file);
    this.#masterKeys = masterKeys;
  }

  /**
   * Lends the key of `account`, as it is wanted, in locked memory, and wipes it. What `use` throws is passed on.
   * @throws KeySourceError when it can't be read, opened or decoded, or has another length
   */
  open<Result>(account: AccountEntry, wanted: WantedKey, use: (privateKey: SecretBytes) => Result): Result {
    if (this.#closed) throw new KeySourceError('is out of reach: this reading of the credentials file was closed');
    let lent = false;
    try {
      return this.#open(account, wanted, (privateKey) => {
        lent = true;
        return use(privateKey);
      });
    } catch (error) {
      if (lent || !isKeyFault(error)) throw error;
      throw error instanceof KeySourceError ? error : new KeySourceError(error.message, { cause: error });
    }
  }

  /** Keeps master keys, and the memory in which sealed keys are opened, accessible while `work` opens many. Not re-entrant; `work` must be synchronous. */
  together<Result>(work: () => Result): Result {
    const masterKeys = this.#masterKeys;
    if (masterKeys === undefined || this.#closed) return work();
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return this.#memory.hold(() => masterKeys.hold(work));
  }

  /** Wipes the master keys and the memory in which keys were opened. Safe to call twice. */
  close(): void {
    this.#closed = true;
    this.#masterKeys?.close();
    this.#memory?.free();
  }

  #open<Result>(account: AccountEntry, wanted: WantedKey, use: (privateKey: SecretBytes) => Result): Result {
    const { key, publicKey } = account;
    if ('plaintext' in key) return withPlaintextKey(key.plaintext, wanted, use);
    if ('file' in key) {
      const file = resolve(this.#folder, key.file);
      const passwordFile = key.passwordFile === undefined ? undefined : resolve(this.#folder, key.passwordFile);
      return withNamedFiles(file, () => withAccountKeyFile({ file, format: key.format, passwordFile }, wanted, use));
    }
    if (this.#masterKeys === undefined || publicKey === undefined) {
      throw new Error('A checked account with a sealed key has a publicKey, and its file a master key.');
    }
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return openSealedKey(this.#masterKeys, { ...account, publicKey }, key.sealed, wanted.lengths, this.#memory, use);
  }
}

/** A path that leads nowhere is not repeated, nor kept as a cause: it may be the secret itself, put where its path belongs. */
function withNamedFiles<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KeyFileError) || !LEADS_NOWHERE.includes(systemErrorCode(error.cause))) throw error;
    const field = error.file === file ? 'file' : 'passwordFile';
    throw new KeySourceError(
      `has a "${field}" that leads to no file: it has to be the path of a file, not what is in it; a relative path starts at the folder of this credentials file`,
    );
  }
}

function isKeyFault(error: unknown): error is Error {
  return (
    error instanceof KeySourceError ||
    error instanceof SealedKeyError ||
    error instanceof KeyFileError ||
    error instanceof MalformedSecretError ||
    error instanceof MemoryLockError
  );
}
