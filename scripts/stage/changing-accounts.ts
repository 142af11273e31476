import { randomInt } from 'node:crypto';
import { accountName } from '../load/account-names.ts';
import type { AccountState, Generation } from '../proof/installation-history.ts';
import { AccountMaker, credentialsText, type SealedAccount } from './sealed-accounts.ts';

const MOST_CHANGES = 6;

/**
 * Accounts that change from one generation to the next, as operators change them: keys are exchanged, accounts are added, removed, disabled and enabled. Those with the lower numbers stay, and only
 * their keys change.
 */
export class ChangingAccounts {
  readonly #maker: AccountMaker;
  readonly #accounts = new Map<number, SealedAccount>();
  readonly #staying: number;
  readonly #total: number;

  /**
   * @param masterKeyFile plain
   * @param staying how many stay
   * @param total how many there are at the most
   */
  constructor(masterKeyFile: string, staying: number, total: number) {
    this.#maker = new AccountMaker(masterKeyFile);
    this.#staying = staying;
    this.#total = total;
    for (let number = 0; number < total; number += 1) this.#renew(number);
  }

  /** Text of the credentials file as it is now. */
  get text(): string {
    return credentialsText([...this.#accounts.values()]);
  }

  get generation(): Generation {
    return new Map([...this.#accounts].map(([number, account]) => [number, stateOf(account)]));
  }

  /** Changes a few accounts, at least the key of one that stays. */
  change(): void {
    this.#renew(randomInt(this.#staying));
    for (let left = randomInt(MOST_CHANGES); left > 0; left -= 1) {
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
    else if (account.status === 'disabled') this.#accounts.set(number, enabled(account));
    else this.#accounts.set(number, { ...account, status: 'disabled' });
  }

  #renew(number: number): void {
    this.#accounts.set(number, this.#maker.make(accountName(number)));
  }
}

function enabled({ status: _, ...account }: SealedAccount): SealedAccount {
  return account;
}

function stateOf({ status, publicKey }: SealedAccount): AccountState {
  return status === 'disabled' ? 'disabled' : { publicKey };
}
