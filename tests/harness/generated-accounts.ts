import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MasterKey } from '../../src/adapters/credentials/keyring/master-key.ts';
import { sealKey } from '../../src/adapters/credentials/sealed-key.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';

/** Identity and algorithm of a generated account. */
export interface AccountName {
  readonly platformId: string;
  readonly accountId: string;
  readonly algorithm: Extract<Algorithm, 'ed25519' | 'eip191'>;
}

/** An account of the credentials file. */
export interface SealedAccount extends AccountName {
  readonly publicKey: string;
  readonly key: { readonly sealed: string };
  readonly status?: 'disabled';
}

/** Platforms of generated accounts, in rotation; half of the accounts are of either algorithm. */
const PLATFORMS = [
  { platformId: 'alpha', algorithm: 'ed25519' },
  { platformId: 'beta', algorithm: 'eip191' },
  { platformId: 'gamma', algorithm: 'ed25519' },
  { platformId: 'delta', algorithm: 'eip191' },
] as const;

/** Deterministic for a number, from 0. */
export function accountName(number: number): AccountName {
  const platform = PLATFORMS[number % PLATFORMS.length];
  if (platform === undefined) throw new RangeError('Accounts are numbered from 0 on.');
  return { ...platform, accountId: `account-${number}` };
}

const SIGNERS = await loadSigners();

/**
 * Generates accounts with sealed keys, ten thousand a second. Keys pass through ordinary memory,
 * for tests only.
 */
export class AccountMaker {
  readonly #vault = new SodiumKeyStore();
  readonly #masterKey: MasterKey;

  /** @param masterKeyFile a plain key, as `init` writes it */
  constructor(masterKeyFile: string) {
    const [line = ''] = readFileSync(masterKeyFile, 'utf8').split('\n');
    this.#masterKey = MasterKey.fill(this.#vault, (key) => void key.write(line, 'hex'));
  }

  make(name: AccountName): SealedAccount {
    const signer = SIGNERS[name.algorithm];
    const privateKey = randomBytes(32);
    const signingKey = Buffer.alloc(signer.signingKeyLength ?? privateKey.length);
    signer.expand(privateKey, signingKey);
    const identity = { ...name, publicKey: signer.publicKey(signingKey) };
    return { ...identity, key: { sealed: sealKey(this.#masterKey, identity, privateKey) } };
  }

  /** Wipes the master key. */
  close(): void {
    this.#vault.purge();
  }
}

/** Generates accounts from number 0 on. @param masterKeyFile without passphrase */
export function makeAccounts(masterKeyFile: string, count: number): readonly SealedAccount[] {
  const maker = new AccountMaker(masterKeyFile);
  const accounts = Array.from({ length: count }, (_, number) => maker.make(accountName(number)));
  maker.close();
  return accounts;
}

/** A credentials file with these accounts and their platforms. */
export function formatCredentials(accounts: readonly SealedAccount[], more: object = {}): string {
  const platforms = PLATFORMS.map(({ platformId, algorithm }) => ({
    platformId,
    format: 'any',
    algorithms: [algorithm],
  }));
  return JSON.stringify({ version: 1, platforms, accounts, ...more });
}

/** Replaces a file atomically. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
