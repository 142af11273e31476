import { expect } from 'chai';
import { writeAccounts } from '../e2e/many-accounts.ts';
import type { Workplace } from '../e2e/service-process.ts';
import type { Wish } from './callers.ts';
import { type RecordedChain, verifiedChain } from './recorded-chain.ts';

const ACCOUNTS = 3;

/** The accounts of {@link configure}, and one that there is not. */
export const WISHES: readonly Wish[] = ['account-0', 'account-1', 'account-2', 'unknown'].map((accountId) => ({
  platformId: 'alpha',
  accountId,
}));

/** Makes every file of an installation with a few accounts. */
export async function configure(place: Workplace): Promise<void> {
  await place.prepare('init');
  writeAccounts(place, ACCOUNTS);
}

/**
 * Verifies the chain of a place twice: with this folder's own reader, and with the command for auditors, which has to agree.
 * @param folder where its audit files lie
 */
export async function verifyTwice(place: Workplace, folder = place.folder): Promise<RecordedChain> {
  const chain = verifyOnce(place, folder);
  const files = chain.files.map(({ name }) => `${folder}/${name}`);
  const { stdout, stderr, exitCode } = await place.command('audit', 'verify', ...files);
  // A kill in the middle of a write leaves records that no signature covers, and that were never
  // acknowledged.
  const isSigned = chain.records.at(-1)?.sig !== undefined;
  expect(exitCode, stderr).to.equal(isSigned ? 0 : 3);
  expect(stdout).to.include(`Records 1 to ${chain.records.length} `);
  return chain;
}

/** Verifies the chain of a place with this folder's own reader alone. */
export function verifyOnce(place: Workplace, folder = place.folder): RecordedChain {
  return verifiedChain(folder, place.path('audit.key.pub'));
}
