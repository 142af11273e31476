import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { checkHardeningFlags, type HardeningFlags, readHardeningFlags } from '../../../src/machine/hardening-flags.ts';
import { programAt } from '../../programs/program.ts';

const PRINTER = programAt(new URL('./fixtures/print-hardening-flags.ts', import.meta.url));
const PROTO = '--disable-proto=delete';
const EVAL = '--disallow-code-generation-from-strings';
const SIGUSR1 = '--disable-sigusr1';

/** What a process that was started with `options` says of itself. */
function flagsWith(...options: readonly string[]): HardeningFlags {
  const { stdout, stderr } = spawnSync(process.execPath, [...options, PRINTER], {
    encoding: 'utf8',
  });
  return stdout === '' ? expect.fail(stderr) : JSON.parse(stdout);
}

const NONE = { [PROTO]: false, [EVAL]: false, [SIGUSR1]: false } as const;

describe('Hardening options', () => {
  it('are seen when they are in force, each by itself', () => {
    expect(flagsWith()).to.deep.equal(NONE);
    expect(flagsWith(PROTO)).to.deep.equal({ ...NONE, [PROTO]: true });
    expect(flagsWith('--disable-proto=throw')).to.deep.equal({ ...NONE, [PROTO]: true });
    expect(flagsWith(EVAL)).to.deep.equal({ ...NONE, [EVAL]: true });
    if (process.allowedNodeEnvironmentFlags.has(SIGUSR1)) {
      expect(flagsWith(SIGUSR1)).to.deep.equal({ ...NONE, [SIGUSR1]: true });
    }
  });

  it('are not in force in these tests', () => {
    expect(readHardeningFlags()).to.deep.equal(NONE);
    expect(checkHardeningFlags().state).to.equal('warning');
  });

  it('are missed by name, with the line to start with', () => {
    const { state, message, remedy } = checkHardeningFlags({ ...NONE, [PROTO]: true });
    expect(state).to.equal('warning');
    expect(message).to.equal(`this process runs without ${EVAL}`);
    expect(remedy).to.include(`node ${PROTO} ${EVAL}`);
    const named = checkHardeningFlags({ ...NONE, [PROTO]: true }, 'this command');
    expect(named.message).to.equal(`this command runs without ${EVAL}`);
  });

  it('are enough without the one that older releases of Node do not have', () => {
    const both = checkHardeningFlags({ ...NONE, [PROTO]: true, [EVAL]: true });
    expect(both).to.deep.equal({ check: 'node-options', state: 'ok', message: `${PROTO}, ${EVAL}`, remedy: null });
    const all = checkHardeningFlags({ [PROTO]: true, [EVAL]: true, [SIGUSR1]: true });
    expect(all.message).to.equal(`${PROTO}, ${EVAL}, ${SIGUSR1}`);
  });
}).timeout(30_000);
