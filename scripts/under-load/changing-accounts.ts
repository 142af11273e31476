import { randomInt } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import {
  AccountMaker,
  accountName,
  formatCredentials,
  type SealedAccount,
} from '../../tests/harness/generated-accounts.ts';
import type { Generation } from './installation-history.ts';

const MAX_CHANGES = 6;

/**
 * Accounts that change like an operator's: keys are replaced, accounts added, removed, disabled and
 * enabled. Accounts with low numbers only change keys.
 */
export class ChangingAccounts {
  readonly #maker: AccountMaker;
  readonly #accounts = new Map<number, SealedAccount>();
  readonly #staying: number;
  readonly #total: number;

  /**
   * @param masterKeyFile without passphrase
   * @param staying number of permanent accounts
   * @param total maximum number of accounts
   */
  constructor(masterKeyFile: string, staying: number, total: number) {
    this.#maker = new AccountMaker(masterKeyFile);
    this.#staying = staying;
    this.#total = total;
    for (let number = 0; number < total; number += 1) this.#renew(number);
  }

  /** The current credentials file. */
  get text(): string {
    return formatCredentials([...this.#accounts.values()]);
  }

  get generation(): Generation {
    return new Map(
      [...this.#accounts].map(([number, { status, publicKey }]) => [number, status ?? { publicKey }] as const),
    );
  }

  /** Changes a few accounts, including the key of a permanent one. */
  change(): void {
    this.#renew(randomInt(this.#staying));
    for (let left = randomInt(MAX_CHANGES); left > 0; left -= 1) {
      const number = randomInt(this.#total);
      if (number < this.#staying) this.#renew(number);
      else this.#changeFleeting(number);
    }
  }

  close(): void {
    this.#maker.close();
  }

  #changeFleeting(number: number): void {
    const account = this.#accounts.get(number);
    const way = randomInt(4);
    if (account === undefined || way === 1) this.#renew(number);
    else if (way === 0) this.#accounts.delete(number);
    else {
      const { status, ...enabled } = account;
      this.#accounts.set(number, status === 'disabled' ? enabled : { ...account, status: 'disabled' });
    }
  }

  #renew(number: number): void {
    this.#accounts.set(number, this.#maker.make(accountName(number)));
  }
}

const SEALED = /v1\.[0-9a-f]{16}\.[\w-]+\.[\w-]+/g;

/** Writers of broken credentials files; `text` is a valid one. */
export const BROKEN_FILES: readonly ((path: string, text: string) => void)[] = [
  // Half written.
  (path, text) => writeFileSync(path, text.slice(0, text.length / 2)),
  // Keys of other accounts.
  (path, text) => {
    const [first = '', second = ''] = text.match(SEALED) ?? [];
    writeFileSync(path, text.replace(first, '\u0000').replace(second, first).replace('\u0000', second));
  },
  // Missing; a watch waits for it.
  (path) => rmSync(path),
];
