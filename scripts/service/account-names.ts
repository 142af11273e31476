import type { Algorithm } from '../../src/domain/model/algorithm.ts';

/** Identity and algorithm of a generated account. */
export interface AccountName {
  readonly platformId: string;
  readonly accountId: string;
  readonly algorithm: Extract<Algorithm, 'ed25519' | 'eip191'>;
}

/** Platforms of generated accounts, in rotation; half of the accounts are of either algorithm. */
export const PLATFORMS = [
  { platformId: 'alpha', algorithm: 'ed25519' },
  { platformId: 'beta', algorithm: 'eip191' },
  { platformId: 'gamma', algorithm: 'ed25519' },
  { platformId: 'delta', algorithm: 'eip191' },
] as const;

/** Deterministic for a number, from 0. */
export function accountName(number: number): AccountName {
  const platform = PLATFORMS[number % PLATFORMS.length];
  if (platform === undefined) throw new RangeError('Accounts are numbered from 0 on.');
  return { ...platform, accountId: `account-${number}` };
}
