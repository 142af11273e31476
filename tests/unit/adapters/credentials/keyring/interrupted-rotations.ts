import { expect } from 'chai';
import type { MasterKeyAdministration } from '../../../../../src/adapters/credentials/keyring/master-key-administration.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { type FileOperation, hookFileOperations } from './file-operations-hook.ts';
import { administrationOf } from './rotated-workplace.ts';

const ACCOUNTS = 6;

/** Commands that change the keyring. */
export const COMMANDS = {
  rotate: (administration: MasterKeyAdministration): Promise<unknown> => administration.rotate(null),
  retire: (administration: MasterKeyAdministration): Promise<unknown> => administration.retire(),
} as const;
export type Command = keyof typeof COMMANDS;

/** Seals accounts and returns their keys. */
export async function prepare(workplace: CredentialsWorkplace): Promise<readonly string[]> {
  writeSealedAccounts(workplace, ACCOUNTS);
  return loadKeys(workplace.source());
}

/** Brings the files into the state before a command: a retirement has a key to remove. */
export async function makeReady(workplace: CredentialsWorkplace, command: Command): Promise<void> {
  if (workplace.ids().length > 1) await administrationOf(workplace).retire();
  if (command === 'retire') await administrationOf(workplace).rotate(null);
}

/** Expects that an interrupted command lost no key, and that both commands succeed after it. */
export async function expectIntact(
  workplace: CredentialsWorkplace,
  keys: readonly string[],
  when: string,
): Promise<void> {
  expect(await loadKeys(workplace.source()), when).to.deep.equal(keys);
  await administrationOf(workplace).rotate(null);
  const report = await administrationOf(workplace).report();
  expect([report.keys[0]?.accounts, report.missing], when).to.deep.equal([ACCOUNTS, []]);
  await administrationOf(workplace).retire();
  expect(workplace.ids(), when).to.deep.equal([report.keys[0]?.id]);
  expect(await loadKeys(workplace.source()), when).to.deep.equal(keys);
}

/** Operations of a complete command. */
export async function operationsOf(
  workplace: CredentialsWorkplace,
  command: Command,
): Promise<readonly FileOperation[]> {
  const operations: FileOperation[] = [];
  await makeReady(workplace, command);
  const restore = await hookFileOperations((operation) => operations.push(operation));
  await COMMANDS[command](administrationOf(workplace)).finally(restore);
  return operations;
}
