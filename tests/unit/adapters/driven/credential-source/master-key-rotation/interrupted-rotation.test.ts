import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { FileMasterKeyAdministration } from '../../../../../../src/adapters/driven/credential-source/master-key-rotation/file-master-key-administration.ts';
import { CredentialLoadError, EditRefusedError } from '../../../../../../src/domain/model/errors.ts';
import { TypedPassphrases } from '../../../../../doubles/typed-passphrases.ts';
import { type CredentialsWorkplace, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { type FileOperation, hookFileOperations } from './file-operations-hook.ts';

const CHILD = fileURLToPath(new URL('rotate-until-killed.ts', import.meta.url));
const ACCOUNTS = 6;

function administrationOf({ file, masterKeyFiles }: CredentialsWorkplace): FileMasterKeyAdministration {
  return new FileMasterKeyAdministration({ file, masterKeyFiles, prompt: new TypedPassphrases() });
}

/** Runs the command until nothing is left to do, as an operator does after a failure. */
async function finish(workplace: CredentialsWorkplace): Promise<void> {
  const { primary, previous } = await administrationOf(workplace).report();
  const isDone = previous !== null && previous.id !== primary.id && previous.accounts === 0;
  if (!isDone) await administrationOf(workplace).rotate(false);
}

/** Everything is under a new key, the old one is beside it, every account has the key that it had, and the next rotation can follow. */
async function expectRotated(workplace: CredentialsWorkplace, oldId: string, keys: readonly string[]): Promise<void> {
  const { primary, previous } = await administrationOf(workplace).report();
  expect(primary.id).to.not.equal(oldId);
  expect([primary.accounts, previous?.id, previous?.accounts]).to.deep.equal([ACCOUNTS, oldId, 0]);
  await administrationOf(workplace).retire();
  expect(await loadKeys(workplace.source())).to.deep.equal(keys);
}

describe('A rotation of the master key that is interrupted', () => {
  const workplace = useWorkplace();

  /** Seals accounts and returns their keys. */
  async function prepare(): Promise<readonly string[]> {
    writeSealedAccounts(workplace(), ACCOUNTS);
    return loadKeys(workplace().source());
  }

  /** The operations of a whole rotation, one after the other. */
  async function operationsOfRotation(): Promise<readonly FileOperation[]> {
    const operations: FileOperation[] = [];
    const restore = await hookFileOperations((operation) => operations.push(operation));
    await administrationOf(workplace()).rotate(false).finally(restore);
    await administrationOf(workplace()).retire();
    return operations;
  }

  it('by SIGKILL before any one of its operations leaves a configuration that loads, and is finished by the next', async () => {
    const keys = await prepare();
    const all = (await operationsOfRotation()).filter(({ changes }) => changes).length;
    expect(all, 'operations that change files').to.be.greaterThan(15);

    let fatal = 1;
    for (let isKilled = true; isKilled; fatal += 1) {
      const { primary } = await administrationOf(workplace()).report();
      const { file, masterKeyFile } = workplace();
      const args = ['--import', 'tsx', CHILD, file, masterKeyFile, String(fatal)];
      const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
      isKilled = child.signal === 'SIGKILL';
      if (!isKilled) expect([child.stdout, child.stderr]).to.deep.equal(['made', '']);

      expect(await loadKeys(workplace().source()), `killed before operation ${fatal}`).to.deep.equal(keys);
      await finish(workplace());
      await expectRotated(workplace(), primary.id, keys);
    }
    expect(fatal - 1, 'runs').to.be.at.least(all);
  }).timeout(180_000);

  for (const code of ['ENOSPC', 'EIO']) {
    it(`by ${code} in any one of its operations says so, leaves a configuration that loads, and is finished by the next`, async () => {
      const keys = await prepare();
      const all = (await operationsOfRotation()).length;
      let failures = 0;
      for (let wrong = 1; wrong <= all; wrong += 1) {
        const { primary } = await administrationOf(workplace()).report();
        let count = 0;
        const restore = await hookFileOperations(({ name }) => {
          count += 1;
          if (count === wrong) throw Object.assign(new Error(`${name} failed`), { code, syscall: name });
        });
        const outcome = await administrationOf(workplace())
          .rotate(false)
          .catch((error: unknown) => error)
          .finally(restore);
        if (outcome instanceof Error) {
          failures += 1;
          const isExplained = outcome instanceof EditRefusedError || outcome instanceof CredentialLoadError;
          expect(isExplained, `operation ${wrong}: ${outcome.stack}`).to.equal(true);
          expect(outcome.message, `operation ${wrong}`).to.include(workplace().folder);
        }
        expect(await loadKeys(workplace().source()), `failed operation ${wrong}`).to.deep.equal(keys);
        await finish(workplace());
        await expectRotated(workplace(), primary.id, keys);
      }
      expect(failures).to.be.greaterThan(all / 2);
    }).timeout(60_000);
  }
});
