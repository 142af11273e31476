import { dirname, resolve } from 'node:path';
import { getKeyLengths, type SecretBytes, type SecretDecoding } from '../../domain/model/account.ts';
import type { ConfiguredAccount } from '../../domain/model/configured-account.ts';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import { toSecretDecoding } from '../../domain/model/platform.ts';
import type { KeyToDecode } from '../../key-helpers/key-formats.ts';
import type { CredentialAccount } from '../../ports/credential-source.ts';
import { type DecodedKeys, decodeKeys } from '../key-helper/decode-keys.ts';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import { getKeyRevision } from './key-revision.ts';
import type { OpenedRing } from './keyring/keyring.ts';
import { openSealedKey, SEALED_KEY_LENGTHS, SealedKeyError } from './sealed-key.ts';
import { getSealingKeyId } from './sealed-key-text.ts';

interface KeyOpenerOptions {
  /** The credentials file, base of relative paths. */
  readonly file: string;
  /** Required for sealed keys. */
  readonly ring: OpenedRing | undefined;
  /** Encodings of HMAC secrets by platform. */
  readonly decodings: ReadonlyMap<string, SecretDecoding>;
}

/** Opens the keys of one reading of the credentials file. */
export class KeyOpener {
  readonly #options: KeyOpenerOptions;
  readonly #folder: string;
  readonly #now = Date.now();
  /**
   * Reused for all sealed keys: freed buffers are unmapped only in a later event-loop tick, and
   * mappings are limited (vm.max_map_count, about 16,000 buffers).
   */
  #memory: LockedBuffer | undefined;
  #decoded: DecodedKeys | undefined;
  /** Places of accounts among the decoded keys. */
  #places: ReadonlyMap<ConfiguredAccount, number> = new Map();
  #closed = false;

  constructor(options: KeyOpenerOptions) {
    this.#options = options;
    this.#folder = dirname(options.file);
  }

  /**
   * See `CredentialAccount.keyRevision`. None if a sealed key names a master key that the ring
   * lacks: the load then opens every key and reports those that a restart could not open either.
   */
  revisionOf({ key, platformId }: ConfiguredAccount): string | undefined {
    if ('sealed' in key && !this.#options.ring?.has(getSealingKeyId(key.sealed))) return undefined;
    return getKeyRevision(key, { folder: this.#folder, secretDecoding: this.#decodingOf(platformId), now: this.#now });
  }

  /** See `CredentialSet.prepareKeys`. */
  async prepare(accounts: readonly CredentialAccount[]): Promise<void> {
    const waiting = accounts.map(({ account }) => account).filter(({ key }) => !('sealed' in key));
    this.#decoded?.close();
    this.#decoded = undefined;
    this.#places = new Map(waiting.map((account, place) => [account, place]));
    if (waiting.length === 0) return;
    this.#decoded = await decodeKeys(waiting.map((account) => this.#toKeyToDecode(account)));
  }

  /** See `CredentialSet.withPrivateKey`. Errors of `use` pass through. */
  open<Result>({ account, path }: CredentialAccount, use: (privateKey: SecretBytes) => Result): Result {
    const fail = (message: string, cause?: unknown) => {
      throw new CredentialLoadError(this.#options.file, [{ path: `${path}.key`, message }], cause);
    };
    if (this.#closed) return fail('is not accessible: this configuration was closed');
    const { key } = account;
    if (!('sealed' in key)) return this.#useDecoded(account, use, fail);
    try {
      return this.#openSealed(account, key.sealed, use);
    } catch (error) {
      if (!(error instanceof SealedKeyError)) throw error;
      return fail(error.message, error);
    }
  }

  /** Keeps the memory accessible while `work` opens many keys. Not re-entrant, synchronous. */
  together<Result>(work: () => Result): Result {
    if (this.#options.ring === undefined || this.#closed) return work();
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

  #openSealed<Result>(account: ConfiguredAccount, sealed: string, use: (privateKey: SecretBytes) => Result): Result {
    const { algorithm, publicKey } = account;
    const { ring } = this.#options;
    if (ring === undefined || publicKey === null) {
      throw new Error('An account with a sealed key must have a publicKey, and its file a master key.');
    }
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return openSealedKey(
      (id) => ring.keyFor(id),
      { ...account, publicKey },
      sealed,
      getKeyLengths(algorithm),
      this.#memory,
      use,
    );
  }

  #useDecoded<Result>(
    account: ConfiguredAccount,
    use: (privateKey: SecretBytes) => Result,
    fail: (message: string) => never,
  ): Result {
    const place = this.#places.get(account);
    if (place === undefined || this.#decoded === undefined) throw new Error('The key of an account was not prepared.');
    const issue = this.#decoded.problemOf(place);
    if (issue === null) return this.#decoded.use(place, use);
    if (issue.isMissing) {
      return fail(
        `has a "${issue.in}" that does not exist: give the path of a file, not the secret itself; relative paths start at the folder of this credentials file`,
      );
    }
    return fail(issue.file === undefined ? issue.problem : `${issue.file}: ${issue.problem}`);
  }

  #toKeyToDecode({ platformId, algorithm, key }: ConfiguredAccount): KeyToDecode {
    const common = { algorithm, secretDecoding: this.#decodingOf(platformId) };
    if ('plaintext' in key) return { ...common, plaintext: key.plaintext };
    if ('sealed' in key) throw new Error('A sealed key is not decoded.');
    const { file, passwordFile, ...others } = key;
    return {
      ...{ ...common, ...others, file: resolve(this.#folder, file) },
      ...(passwordFile === undefined ? {} : { passwordFile: resolve(this.#folder, passwordFile) }),
    };
  }

  #decodingOf(platformId: string): SecretDecoding {
    return this.#options.decodings.get(platformId) ?? toSecretDecoding(undefined);
  }
}
