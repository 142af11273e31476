import { expect } from 'chai';
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { type FileOperation, hookFileOperations } from './file-operations-hook.ts';

const ACCOUNTS = 6;

/** The `master-key` commands, in this process. */
export function administrationOf({ file, masterKeyFiles }: CredentialsWorkplace): MasterKeyAdministration {
  return new MasterKeyAdministration({ file, masterKeyFiles, prompt: new TypedPassphrases() });
}

/** Repeats the command until it succeeds, like an operator. */
export async function finish(workplace: CredentialsWorkplace): Promise<void> {
  const { primary, previous } = await administrationOf(workplace).report();
  const isDone = previous !== null && previous.id !== primary.id && previous.accounts === 0;
  if (!isDone) await administrationOf(workplace).rotate(false);
}

/**
 * Expects a new primary key, the old one beside it, unchanged account keys, and a possible next
 * rotation.
 */
export async function expectRotated(
  workplace: CredentialsWorkplace,
  oldId: string,
  keys: readonly string[],
): Promise<void> {
  const { primary, previous } = await administrationOf(workplace).report();
  expect(primary.id).to.not.equal(oldId);
  expect([primary.accounts, previous?.id, previous?.accounts]).to.deep.equal([ACCOUNTS, oldId, 0]);
  await administrationOf(workplace).retire();
  expect(await loadKeys(workplace.source())).to.deep.equal(keys);
}

/** Seals accounts and returns their keys. */
export async function prepare(workplace: CredentialsWorkplace): Promise<readonly string[]> {
  writeSealedAccounts(workplace, ACCOUNTS);
  return loadKeys(workplace.source());
}

/** Operations of a complete rotation. */
export async function operationsOfRotation(workplace: CredentialsWorkplace): Promise<readonly FileOperation[]> {
  const operations: FileOperation[] = [];
  const restore = await hookFileOperations((operation) => operations.push(operation));
  await administrationOf(workplace).rotate(false).finally(restore);
  await administrationOf(workplace).retire();
  return operations;
}
