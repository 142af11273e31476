import { expect } from 'chai';
import { MasterKeyAdministration } from '../../../../../../src/adapters/driven/credential-source/master-key-rotation/master-key-administration.ts';
import { TypedPassphrases } from '../../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { type FileOperation, hookFileOperations } from './file-operations-hook.ts';

const ACCOUNTS = 6;

/** The commands of `master-key`, in this process. */
export function administrationOf({ file, masterKeyFiles }: CredentialsWorkplace): MasterKeyAdministration {
  return new MasterKeyAdministration({ file, masterKeyFiles, prompt: new TypedPassphrases() });
}

/** Runs the command until nothing is left to do, as an operator does after a failure. */
export async function finish(workplace: CredentialsWorkplace): Promise<void> {
  const { primary, previous } = await administrationOf(workplace).report();
  const isDone = previous !== null && previous.id !== primary.id && previous.accounts === 0;
  if (!isDone) await administrationOf(workplace).rotate(false);
}

/** Everything is under a new key, the old one is beside it, every account has the key that it had, and the next rotation can follow. */
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

/** The operations of a whole rotation, one after the other. */
export async function operationsOfRotation(workplace: CredentialsWorkplace): Promise<readonly FileOperation[]> {
  const operations: FileOperation[] = [];
  const restore = await hookFileOperations((operation) => operations.push(operation));
  await administrationOf(workplace).rotate(false).finally(restore);
  await administrationOf(workplace).retire();
  return operations;
}
