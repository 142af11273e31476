import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { rejection, useWorkplace } from '../unit/adapters/credentials/credentials-workplace.ts';
import {
  COMMANDS,
  type Command,
  expectIntact,
  makeReady,
  operationsOf,
  prepare,
} from '../unit/adapters/credentials/keyring/interrupted-rotations.ts';
import { administrationOf } from '../unit/adapters/credentials/keyring/rotated-workplace.ts';
import { rounds } from './rounds.ts';

const CHILD = fileURLToPath(new URL('../unit/adapters/credentials/keyring/rotate-until-killed.js', import.meta.url));

/** Kills in all; each step of both commands is reached several times. */
const KILLS = rounds(200);

describe('A change of the keyring that is killed at each step', () => {
  const workplace = useWorkplace();

  /** Whether the command was killed before that operation. */
  function kill(command: Command, fatal: number): boolean {
    const { file, masterKeyFile } = workplace();
    const args = [CHILD, command, file, masterKeyFile, String(fatal)];
    const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (child.signal === 'SIGKILL') return true;
    expect([child.stdout, child.stderr]).to.deep.equal(['done', '']);
    return false;
  }

  it(`keeps every account loadable after each of ${KILLS} kills, and the next rotation and retirement succeed`, async () => {
    const keys = await prepare(workplace());
    const steps: [Command, number][] = [];
    for (const command of Object.keys(COMMANDS) as Command[]) {
      const count = (await operationsOf(workplace(), command)).filter(({ changes }) => changes).length;
      expect(count, `operations of ${command} that change files`).to.be.greaterThan(7);
      for (let fatal = 1; fatal <= count; fatal += 1) steps.push([command, fatal]);
    }
    for (let kills = 0; kills < KILLS; kills += 1) {
      const [command, fatal] = steps[kills % steps.length] ?? expect.fail('There should be steps.');
      await makeReady(workplace(), command);
      const when = `${command} killed before operation ${fatal}`;
      expect(kill(command, fatal), when).to.equal(true);
      await expectIntact(workplace(), keys, when);
    }
  }).timeout(600_000);

  it('control: loading fails in the state that another order of the renames would leave', async () => {
    const keys = await prepare(workplace());
    const ring = workplace().ring();
    await administrationOf(workplace()).rotate(null);
    workplace().writeRing(ring);
    const error = await rejection(expectIntact(workplace(), keys, 'control'));
    expect(error.message).to.include('is sealed under master key');
  });
});
