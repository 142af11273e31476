import { expect } from 'chai';
import { CredentialLoadError, EditRefusedError } from '../../../../../src/domain/model/errors.ts';
import { useWorkplace } from '../credentials-workplace.ts';
import { loadKeys } from '../sealed-accounts.ts';
import { hookFileOperations } from './file-operations-hook.ts';
import { administrationOf, expectRotated, finish, operationsOfRotation, prepare } from './interrupted-rotations.ts';

describe('A rotation of the master key that is interrupted', () => {
  const workplace = useWorkplace();

  it('by an error of any of its operations reports it, leaves a loadable state, and is finished by the next', async () => {
    const keys = await prepare(workplace());
    const names = (await operationsOfRotation(workplace())).map(({ name }) => name);
    let failures = 0;
    for (let wrong = 1; wrong <= names.length; wrong += 1) {
      const { primary } = await administrationOf(workplace()).report();
      let count = 0;
      const restore = await hookFileOperations(({ name }) => {
        count += 1;
        if (count === wrong) throw Object.assign(new Error(`${name} failed`), { code: 'EIO', syscall: name });
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
    expect(failures).to.be.greaterThan(names.length / 2);
  }).timeout(60_000);
});
