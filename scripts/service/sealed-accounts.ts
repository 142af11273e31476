import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { MasterKey } from '../../src/adapters/credentials/master-key/master-key.ts';
import { sealKey } from '../../src/adapters/credentials/sealed-key.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import { print } from '../run/print.ts';
import { type AccountName, accountName, PLATFORMS } from './account-names.ts';

/** An account of the credentials file. */
export interface SealedAccount extends AccountName {
  readonly publicKey: string;
  readonly key: { readonly sealed: string };
  readonly status?: 'disabled';
}

const SIGNERS = await loadSigners();

/**
 * Generates accounts with sealed keys, ten thousand a second. Keys pass through ordinary memory,
 * for tests only.
 */
export class AccountMaker {
  readonly #masterKey: MasterKey;

  /** @param masterKeyFile 32 bytes, as `init` writes it */
  constructor(masterKeyFile: string) {
    this.#masterKey = MasterKey.fill((key) => readFileSync(masterKeyFile).copy(key));
  }

  make(name: AccountName): SealedAccount {
    const signer = SIGNERS[name.algorithm];
    const privateKey = randomBytes(signer.privateKeyLengths.max);
    const signingKey = Buffer.alloc(signer.signingKeyLength(privateKey.length));
    signer.expand(privateKey, signingKey);
    const identity = { ...name, publicKey: signer.publicKey(signingKey) };
    return { ...identity, key: { sealed: sealKey(this.#masterKey, identity, privateKey) } };
  }

  /** Wipes the master key. */
  close(): void {
    this.#masterKey.destroy();
  }
}

/** A credentials file with these accounts and their platforms. */
export function formatCredentials(accounts: readonly SealedAccount[]): string {
  const platforms = PLATFORMS.map(({ platformId, algorithm }) => ({
    platformId,
    format: 'any',
    algorithms: [algorithm],
  }));
  return JSON.stringify({ version: 1, platforms, accounts });
}

/** Replaces a file atomically. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}

const PROGRESS_MS = 2000;

/**
 * Generates accounts from number 0 on and prints progress.
 * @param masterKeyFile without passphrase
 */
export function makeAccounts(masterKeyFile: string, count: number): readonly SealedAccount[] {
  const maker = new AccountMaker(masterKeyFile);
  const accounts: SealedAccount[] = [];
  const begin = performance.now();
  let reportedAt = begin;
  for (let number = 0; number < count; number += 1) {
    accounts.push(maker.make(accountName(number)));
    if (performance.now() - reportedAt < PROGRESS_MS) continue;
    reportedAt = performance.now();
    print(`  ${number + 1} of ${count} accounts`);
  }
  maker.close();
  print(`  ${count} accounts with sealed keys made in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return accounts;
}
