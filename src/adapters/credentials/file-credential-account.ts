import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AccountStatus, KeyLengths, SecretBytes, SecretDecoding } from '../../domain/model/account.ts';
import type { Algorithm } from '../../domain/model/algorithm.ts';
import { CredentialLoadError } from '../../domain/model/errors.ts';
import type { FixedValues } from '../../domain/model/payload-rule.ts';
import type { CredentialAccount } from '../../ports/credential-source.ts';
import { type AccountToOpen, type KeyOpener, KeySourceError } from './key-opener.ts';
import type { AccountEntry } from './schema/account-schema.ts';

interface KeyRevisionInput {
  /** The credentials file's folder, base of relative paths. */
  readonly folder: string;
  /** The platform's encoding of HMAC secrets. */
  readonly secretDecoding: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** Changes within one time stamp step look like one; the coarsest file systems have two seconds. */
const TIMESTAMP_STEP_MS = 2000;

/**
 * Revision of a key, without opening it: a sealed key's text, or the state of its files and every
 * other member of its reference. Undefined for plaintext keys, files changed in the last two
 * seconds, and unreadable ones, whose opening reports the problem.
 */
export function getKeyRevision({ key }: AccountEntry, input: KeyRevisionInput): string | undefined {
  if ('sealed' in key) return key.sealed;
  if ('plaintext' in key) return undefined;
  const { folder, secretDecoding, now } = input;
  const { file, passwordFile, ...others } = key;
  const files = passwordFile === undefined ? [file] : [file, passwordFile];
  const revisions = files.map((path) => fileRevision(resolve(folder, path), now));
  return revisions.includes(undefined) ? undefined : JSON.stringify([others, secretDecoding, ...revisions]);
}

/** Changes with the file's content or the links on its path. */
function fileRevision(file: string, now: number): string | undefined {
  const stats = statFile(file);
  if (stats === undefined || now - Number(stats.ctimeMs) < TIMESTAMP_STEP_MS) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function statFile(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}

/** Shared by the accounts of one reading. */
export interface AccountsReading {
  /** The credentials file, for messages, and its folder, base of relative paths. */
  readonly file: string;
  readonly folder: string;
  readonly opener: KeyOpener;
  /**
   * Whether the master key of every sealed key is readable. Otherwise no key has a revision: the
   * load opens all of them and reports those that a restart could not open either.
   */
  readonly areOpenable: boolean;
}

/** An account entry with defaults. A class, for 100,000 instances at a time. */
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
  declare readonly overlapSeconds?: number;
  readonly path: string;
  readonly #entry: AccountEntry;
  readonly #secretDecoding: SecretDecoding;
  readonly #reading: AccountsReading;

  /** @param index among the file's accounts */
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
    const input = { folder: reading.folder, secretDecoding, now: Date.now() };
    const keyRevision = reading.areOpenable ? getKeyRevision(entry, input) : undefined;
    if (keyRevision !== undefined) this.keyRevision = keyRevision;
    if (entry.overlapSeconds !== undefined) this.overlapSeconds = entry.overlapSeconds;
    this.#entry = entry;
    this.#secretDecoding = secretDecoding;
    this.#reading = reading;
  }

  /** For {@link KeyOpener.prepare}. */
  get toOpen(): AccountToOpen {
    return { entry: this.#entry, secretDecoding: this.#secretDecoding };
  }

  withPrivateKey<Result>(lengths: KeyLengths, use: (privateKey: SecretBytes) => Result): Result {
    const { file, opener } = this.#reading;
    try {
      return opener.open(this.#entry, lengths, use);
    } catch (error) {
      if (!(error instanceof KeySourceError)) throw error;
      throw new CredentialLoadError(file, [{ path: `${this.path}.key`, message: error.message }], error);
    }
  }
}
