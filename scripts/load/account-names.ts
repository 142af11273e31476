import type { Algorithm } from '../../src/domain/model/algorithm.ts';

/** An account of a large installation that a script makes, and which algorithm it signs with. */
export interface AccountName {
  readonly platformId: string;
  readonly accountId: string;
  readonly algorithm: Extract<Algorithm, 'ed25519' | 'eip191'>;
}

/** Platforms of such an installation, all of format `any`; accounts take turns on them, so that half of them are of either algorithm. */
export const PLATFORMS = [
  { platformId: 'alpha', algorithm: 'ed25519' },
  { platformId: 'beta', algorithm: 'eip191' },
  { platformId: 'gamma', algorithm: 'ed25519' },
  { platformId: 'delta', algorithm: 'eip191' },
] as const;

/** The account of a number from 0 on; the same in every process. */
export function accountName(number: number): AccountName {
  const platform = PLATFORMS[number % PLATFORMS.length];
  if (platform === undefined) throw new RangeError('Accounts are numbered from 0 on.');
  return { ...platform, accountId: `account-${number}` };
}
