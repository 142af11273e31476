import type { CredentialAccount, CredentialSet } from '../../src/ports/credential-source.ts';

/** All accounts of a set, which it gives once. */
export async function allAccounts({ accounts }: CredentialSet): Promise<readonly CredentialAccount[]> {
  const all: CredentialAccount[] = [];
  for await (const slice of accounts) all.push(...slice);
  return all;
}
