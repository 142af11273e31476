import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { writeAccounts } from '../e2e/many-accounts.ts';
import type { Workplace } from '../harness/service-process.ts';
import { sha256, type VerifiedChain, verifyChain } from '../harness/verified-chain.ts';
import type { RequestType } from './callers.ts';

const ACCOUNTS = 3;

/** The accounts of {@link configure}, and an unknown one. */
export const REQUEST_TYPES: readonly RequestType[] = ['account-0', 'account-1', 'account-2', 'unknown'].map(
  (accountId) => ({
    platformId: 'alpha',
    accountId,
  }),
);

/** Creates an installation with a few accounts. */
export async function configure(place: Workplace): Promise<void> {
  await place.prepare('init');
  writeAccounts(place, ACCOUNTS);
}

/**
 * Verifies a chain with this folder's reader and with `audit verify`, which must agree.
 * @param folder with its audit files
 */
export async function verifyTwice(place: Workplace, folder = place.folder): Promise<VerifiedChain> {
  const chain = verifyOnce(place, folder);
  const files = chain.files.map(({ name }) => `${folder}/${name}`);
  const { stdout, stderr, exitCode } = await place.command('audit', 'verify', ...files);
  // A kill during a write leaves unsigned records, never acknowledged.
  const isSigned = chain.records.at(-1)?.sig !== undefined;
  expect(exitCode, stderr).to.equal(isSigned ? 0 : 3);
  expect(stdout).to.include(`Records 1 to ${chain.records.length} `);
  return chain;
}

/** Verifies a chain with this folder's reader only. */
export function verifyOnce(place: Workplace, folder = place.folder): VerifiedChain {
  const publicKey = createPublicKey(readFileSync(place.path('audit.key.pub')));
  return verifyChain(folder, { publicKey, isKilled: true });
}

/** Asserts that each received signature has exactly one success record. */
export function expectOnRecord(signatures: readonly string[], { records }: VerifiedChain): void {
  const digests = records.flatMap(({ signatureDigest }) => signatureDigest ?? []);
  const recorded = new Set(digests);
  expect(recorded.size, 'signatures that are on record twice').to.equal(digests.length);
  expect(new Set(signatures).size, 'signatures that were received twice').to.equal(signatures.length);
  const missing = signatures.filter((signature) => !recorded.has(sha256(signature)));
  expect(missing, `of ${signatures.length} signatures received are on no record`).to.deep.equal([]);
}
