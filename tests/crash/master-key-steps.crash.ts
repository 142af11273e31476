import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useWorkplace } from '../unit/adapters/credentials/credentials-workplace.ts';
import {
  administrationOf,
  expectRotated,
  finish,
  operationsOfRotation,
  prepare,
} from '../unit/adapters/credentials/master-key-rotation/interrupted-rotations.ts';
import { loadKeys } from '../unit/adapters/credentials/sealed-accounts.ts';

const CHILD = fileURLToPath(
  new URL('../unit/adapters/credentials/master-key-rotation/rotate-until-killed.js', import.meta.url),
);

describe('A rotation of the master key killed at each step', () => {
  const workplace = useWorkplace();

  it('leaves a loadable configuration, and the next rotation completes it', async () => {
    const keys = await prepare(workplace());
    const all = (await operationsOfRotation(workplace())).filter(({ changes }) => changes).length;
    expect(all, 'operations that change files').to.be.greaterThan(15);

    let fatal = 1;
    for (let isKilled = true; isKilled; fatal += 1) {
      const { primary } = await administrationOf(workplace()).report();
      const { file, masterKeyFile } = workplace();
      const args = [CHILD, file, masterKeyFile, String(fatal)];
      const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
      isKilled = child.signal === 'SIGKILL';
      if (!isKilled) expect([child.stdout, child.stderr]).to.deep.equal(['made', '']);

      expect(await loadKeys(workplace().source()), `killed before operation ${fatal}`).to.deep.equal(keys);
      await finish(workplace());
      await expectRotated(workplace(), primary.id, keys);
    }
    expect(fatal - 1, 'runs').to.be.at.least(all);
  }).timeout(180_000);
});
