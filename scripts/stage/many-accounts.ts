import { performance } from 'node:perf_hooks';
import { accountName } from '../load/account-names.ts';
import { print } from './print.ts';
import { AccountMaker, type SealedAccount } from './sealed-accounts.ts';

const PROGRESS_MS = 2000;

/** Makes the accounts from number 0 on with new keys, sealed under a plain master key, and prints how far it is every other second. */
export function makeAccounts(masterKeyFile: string, count: number): readonly SealedAccount[] {
  const maker = new AccountMaker(masterKeyFile);
  const accounts: SealedAccount[] = [];
  const begin = performance.now();
  let toldAt = begin;
  for (let number = 0; number < count; number += 1) {
    accounts.push(maker.make(accountName(number)));
    if (performance.now() - toldAt < PROGRESS_MS) continue;
    toldAt = performance.now();
    print(`  ${number + 1} of ${count} accounts`);
  }
  maker.close();
  print(`  ${count} accounts with sealed keys made in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return accounts;
}
