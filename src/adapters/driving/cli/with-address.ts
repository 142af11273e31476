import { type Algorithm, isSecp256k1Algorithm } from '../../../domain/model/algorithm.ts';

/** An account with the address by which contracts and venues know it: EIP-55, null where its public key is not known; absent: it is none of Ethereum's. */
export type WithAddress<Account> = Account & { readonly address?: string | null };

/** Adds the Ethereum address to an account that has one. Loads ethers when it meets the first of them, so that other commands need not wait for it. */
export async function withAddress<Account extends { readonly algorithm: Algorithm; readonly publicKey: string | null }>(
  account: Account,
): Promise<WithAddress<Account>> {
  const { algorithm, publicKey } = account;
  if (!isSecp256k1Algorithm(algorithm)) return account;
  if (publicKey === null) return { ...account, address: null };
  const { ethereumAddress } = await import('./ethereum-address.ts');
  return { ...account, address: ethereumAddress(publicKey) };
}
