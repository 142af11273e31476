import type { CredentialAccount, CredentialSet } from '../../src/ports/credential-source.ts';

/** Collects the accounts of a set, with their keys prepared. */
export async function allAccounts(set: CredentialSet): Promise<readonly CredentialAccount[]> {
  const all: CredentialAccount[] = [];
  for await (const slice of set.accounts) all.push(...slice);
  await set.prepareKeys(all);
  return all;
}
