import { expect } from 'chai';
import { CredentialLoadError, OperatorError } from '../../../../../src/domain/model/errors.ts';
import { useWorkplace } from '../credentials-workplace.ts';
import { hookFileOperations } from './file-operations-hook.ts';
import { COMMANDS, type Command, expectIntact, makeReady, operationsOf, prepare } from './interrupted-rotations.ts';
import { administrationOf } from './rotated-workplace.ts';

describe('A change of the keyring that is interrupted', () => {
  const workplace = useWorkplace();

  for (const command of Object.keys(COMMANDS) as readonly Command[]) {
    it(`by an error of any operation of ${command} reports it, and loses no key`, async () => {
      const keys = await prepare(workplace());
      const names = (await operationsOf(workplace(), command)).map(({ name }) => name);
      let failures = 0;
      for (let wrong = 1; wrong <= names.length; wrong += 1) {
        await makeReady(workplace(), command);
        let count = 0;
        const restore = await hookFileOperations(({ name }) => {
          count += 1;
          if (count === wrong) throw Object.assign(new Error(`${name} failed`), { code: 'EIO', syscall: name });
        });
        const outcome = await COMMANDS[command](administrationOf(workplace()))
          .catch((error: unknown) => error)
          .finally(restore);
        const when = `failed operation ${wrong} of ${command}`;
        if (outcome instanceof Error) {
          failures += 1;
          const isExplained = outcome instanceof OperatorError || outcome instanceof CredentialLoadError;
          expect(isExplained, `${when}: ${outcome.stack}`).to.equal(true);
          expect(outcome.message, when).to.include(workplace().folder);
        }
        await expectIntact(workplace(), keys, when);
      }
      expect(failures).to.be.greaterThan(names.length / 2);
    }).timeout(60_000);
  }
});
