import type { AddedAccount, CredentialListing } from '../../../../ports/credential-editor.ts';
import { accountCautions } from '../cautions.ts';

/** An account that was imported, or would be, and its number in the file. */
export type ImportedAccount = AddedAccount & { readonly row: number };

type Known = CredentialListing['accounts'][number];

/** Cautions for accounts whose key is also one of another algorithm, there before or imported together. */
export function sharedKeyCautions(accounts: readonly ImportedAccount[], others: readonly Known[]): readonly string[] {
  const byKey = new Map<string, Known[]>();
  for (const account of others) {
    if (account.publicKey !== null) byKey.set(account.publicKey, [...(byKey.get(account.publicKey) ?? []), account]);
  }
  return accounts.flatMap((account) => {
    const { publicKey } = account;
    if (publicKey === null) return [];
    const sharing = byKey.get(publicKey) ?? [];
    byKey.set(publicKey, [...sharing, account]);
    const name = `${account.platformId}/${account.accountId}`;
    return accountCautions({ ...account, publicKey }, sharing).map((caution) => `${name}: ${caution}`);
  });
}
