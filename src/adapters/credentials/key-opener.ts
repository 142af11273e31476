import { dirname, resolve } from 'node:path';
import type { KeyLengths, SecretBytes, SecretDecoding } from '../../domain/model/account.ts';
import type { KeyToDecode } from '../../key-helpers/decode-key.ts';
import { type DecodedKeys, decodeKeys } from '../key-helper/decode-keys.ts';
import { LockedBuffer, MemoryLockError } from '../vault/locked-buffer.ts';
import type { MasterKeyRing } from './keyring/master-keys.ts';
import type { AccountEntry } from './schema/account-schema.ts';
import { openSealedKey, SEALED_KEY_LENGTHS, SealedKeyError } from './sealed-key.ts';

/** An account's key is unavailable. The message has nothing of the key. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError';
}

/** An account entry, and its platform's encoding of HMAC secrets. */
export interface AccountToOpen {
  readonly entry: AccountEntry;
  readonly secretDecoding: SecretDecoding;
}

/** Opens the keys of one reading of the credentials file. */
export class KeyOpener {
  readonly #folder: string;
  readonly #masterKeys: MasterKeyRing | undefined;
  /**
   * Reused for all sealed keys: freed buffers are unmapped only in a later event-loop tick, and
   * mappings are limited (vm.max_map_count, about 16,000 buffers).
   */
  #memory: LockedBuffer | undefined;
  #decoded: DecodedKeys | undefined;
  /** Places of accounts among the decoded keys. */
  #places: ReadonlyMap<AccountEntry, number> = new Map();
  #closed = false;

  /**
   * @param file the credentials file, base of relative paths
   * @param masterKeys required for sealed keys
   */
  constructor(file: string, masterKeys: MasterKeyRing | undefined) {
    this.#folder = dirname(file);
    this.#masterKeys = masterKeys;
  }

  /**
   * Decodes the keys of these accounts that are not sealed, until the next call.
   * @throws OperatorError if the key helper cannot be run; MemoryLockError
   */
  async prepare(accounts: readonly AccountToOpen[]): Promise<void> {
    const waiting = accounts.filter(({ entry }) => !('sealed' in entry.key));
    this.#decoded?.close();
    this.#decoded = undefined;
    this.#places = new Map(waiting.map(({ entry }, place) => [entry, place]));
    if (waiting.length === 0) return;
    const decoded = await decodeKeys(waiting.map((account) => toKeyToDecode(account, this.#folder)));
    if (this.#closed) decoded.close();
    else this.#decoded = decoded;
  }

  /**
   * Passes an account's key to `use` in locked memory, then wipes it. Errors of `use` pass through.
   * @throws KeySourceError if it cannot be read, opened or decoded, or has another length
   */
  open<Result>(account: AccountEntry, lengths: KeyLengths, use: (privateKey: SecretBytes) => Result): Result {
    if (this.#closed) throw new KeySourceError('is not accessible: this configuration was closed');
    const { key } = account;
    return 'sealed' in key
      ? this.#openSealed(account, key.sealed, lengths, use)
      : this.#useDecoded(account, lengths, use);
  }

  /** Keeps the memory accessible while `work` opens many keys. Not re-entrant, synchronous. */
  together<Result>(work: () => Result): Result {
    if (this.#masterKeys === undefined || this.#closed) return work();
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return this.#memory.keepAccessible(work);
  }

  /** Wipes decoded keys and frees the memory; no key opens afterwards. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#memory?.free();
    this.#decoded?.close();
    this.#decoded = undefined;
  }

  #openSealed<Result>(
    account: AccountEntry,
    sealed: string,
    lengths: KeyLengths,
    use: (privateKey: SecretBytes) => Result,
  ): Result {
    const { publicKey } = account;
    if (this.#masterKeys === undefined || publicKey === undefined) {
      throw new Error('An account with a sealed key must have a publicKey, and its file a master key.');
    }
    let isOpened = false;
    try {
      this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
      return openSealedKey(this.#masterKeys, { ...account, publicKey }, sealed, lengths, this.#memory, (privateKey) => {
        isOpened = true;
        return use(privateKey);
      });
    } catch (error) {
      if (isOpened || !(error instanceof SealedKeyError || error instanceof MemoryLockError)) throw error;
      throw new KeySourceError(error.message, { cause: error });
    }
  }

  #useDecoded<Result>(account: AccountEntry, lengths: KeyLengths, use: (privateKey: SecretBytes) => Result): Result {
    const place = this.#places.get(account);
    if (place === undefined || this.#decoded === undefined) throw new Error('The key of an account was not prepared.');
    const issue = this.#decoded.problemOf(place, lengths);
    if (issue === null) return this.#decoded.use(place, use);
    if (issue.isMissing) {
      throw new KeySourceError(
        `has a "${issue.in}" that does not exist: give the path of a file, not the secret itself; relative paths start at the folder of this credentials file`,
      );
    }
    throw new KeySourceError(issue.file === undefined ? issue.problem : `${issue.file}: ${issue.problem}`);
  }
}

function toKeyToDecode({ entry, secretDecoding }: AccountToOpen, folder: string): KeyToDecode {
  const { algorithm, key } = entry;
  if ('plaintext' in key) return { plaintext: key.plaintext, algorithm, secretDecoding };
  if (!('file' in key)) throw new Error('A sealed key is not decoded.');
  const { file, passwordFile, ...others } = key;
  return {
    ...{ ...others, file: resolve(folder, file), algorithm, secretDecoding },
    ...(passwordFile === undefined ? {} : { passwordFile: resolve(folder, passwordFile) }),
  };
}
