import type { CredentialAccount, CredentialSet } from '../../src/ports/credential-source.ts';

/** Collects the accounts of a set. */
export async function allAccounts({ accounts }: CredentialSet): Promise<readonly CredentialAccount[]> {
  const all: CredentialAccount[] = [];
  for await (const slice of accounts) all.push(...slice);
  return all;
}
