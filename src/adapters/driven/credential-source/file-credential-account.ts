import type { AccountStatus } from '../../../domain/model/account.ts';
import type { Algorithm } from '../../../domain/model/algorithm.ts';
import { CredentialLoadError } from '../../../domain/model/errors.ts';
import type { FixedValues } from '../../../domain/model/fixed-values.ts';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import type { CredentialAccount } from '../../../ports/credential-source.ts';
import type { AccountEntry } from './account-schema.ts';
import { type KeyOpener, KeySourceError } from './key-opener.ts';
import { keyRevisionOf } from './key-revision.ts';

/** What the accounts of one reading of a credentials file have in common. */
export interface AccountsReading {
  /** Path of the file, for messages, and its folder, where relative paths start. */
  readonly file: string;
  readonly folder: string;
  readonly opener: KeyOpener;
}

/** An account as an entry of the credentials file means it, what it leaves out filled in. A class, since a hundred thousand of them are made at a time. */
export class FileCredentialAccount implements CredentialAccount {
  readonly platformId: string;
  readonly accountId: string;
  readonly alias: string;
  readonly status: AccountStatus;
  readonly environment: string;
  readonly algorithm: Algorithm;
  readonly publicKey: string | null;
  readonly createdAt: string | null;
  declare readonly values?: FixedValues;
  declare readonly keyRevision?: string;
  readonly path: string;
  readonly #entry: AccountEntry;
  readonly #secretDecoding: SecretDecoding;
  readonly #reading: AccountsReading;

  /** @param index of the entry among the accounts of the file */
  constructor(entry: AccountEntry, index: number, secretDecoding: SecretDecoding, reading: AccountsReading) {
    this.platformId = entry.platformId;
    this.accountId = entry.accountId;
    this.alias = entry.alias ?? entry.accountId;
    this.status = entry.status;
    this.environment = entry.environment;
    this.algorithm = entry.algorithm;
    this.publicKey = entry.publicKey ?? null;
    this.createdAt = entry.createdAt === undefined ? null : new Date(entry.createdAt).toISOString();
    if (entry.values !== undefined) this.values = entry.values;
    this.path = `accounts[${index}]`;
    const keyRevision = keyRevisionOf(entry, { folder: reading.folder, secretDecoding, now: Date.now() });
    if (keyRevision !== undefined) this.keyRevision = keyRevision;
    this.#entry = entry;
    this.#secretDecoding = secretDecoding;
    this.#reading = reading;
  }

  withPrivateKey<Result>(lengths: KeyLengths, use: (privateKey: SecretBytes) => Result): Result {
    const { file, opener } = this.#reading;
    const wanted = { algorithm: this.algorithm, lengths, secretDecoding: this.#secretDecoding };
    try {
      return opener.open(this.#entry, wanted, use);
    } catch (error) {
      if (!(error instanceof KeySourceError)) throw error;
      throw new CredentialLoadError(file, [{ path: `${this.path}.key`, message: error.message }], error);
    }
  }
}
