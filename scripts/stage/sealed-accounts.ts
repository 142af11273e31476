import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { MasterKey } from '../../src/adapters/driven/credential-source/master-key/master-key.ts';
import { sealKey } from '../../src/adapters/driven/credential-source/sealed-key.ts';
import { createSigners } from '../../src/composition/create-signers.ts';
import { type AccountName, PLATFORMS } from '../load/account-names.ts';

/** An account as the credentials file has it, but for what the operator may leave out. */
export interface SealedAccount extends AccountName {
  readonly publicKey: string;
  readonly key: { readonly sealed: string };
  readonly status?: 'disabled';
}

/**
 * Makes accounts with new keys, sealed under a plain master key as `account add` seals them, some ten thousand a second. The keys pass through ordinary memory, as only those of a test may:
 * `account add` makes them in locked memory, and takes a process for each.
 */
export class AccountMaker {
  readonly #masterKey: MasterKey;
  readonly #signers = createSigners();

  /** @param masterKeyFile 32 bytes, as `init` writes it */
  constructor(masterKeyFile: string) {
    this.#masterKey = MasterKey.fill((key) => readFileSync(masterKeyFile).copy(key));
  }

  make(name: AccountName): SealedAccount {
    const signer = this.#signers[name.algorithm];
    const privateKey = randomBytes(signer.privateKeyLengths.max);
    const signingKey = Buffer.alloc(signer.signingKeyLength(privateKey.length));
    signer.expand(privateKey, signingKey);
    const identity = { ...name, publicKey: signer.publicKey(signingKey) };
    return { ...identity, key: { sealed: sealKey(this.#masterKey, identity, privateKey) } };
  }

  /** Forgets the master key. */
  close(): void {
    this.#masterKey.destroy();
  }
}

/** Text of a credentials file with these accounts, and their platforms. */
export function credentialsText(accounts: readonly SealedAccount[]): string {
  const platforms = PLATFORMS.map(({ platformId, algorithm }) => ({
    platformId,
    format: 'any',
    algorithms: [algorithm],
  }));
  return JSON.stringify({ version: 1, platforms, accounts });
}

/** Puts a file in the place of another in one step, as an operator should. */
export function replaceFile(path: string, text: string): void {
  const beside = `${path}.new`;
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, path);
}
