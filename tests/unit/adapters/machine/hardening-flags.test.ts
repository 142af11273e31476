import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkHardeningFlags, type HardeningFlags } from '../../../../src/adapters/machine/hardening-flags.ts';
import { issueOf } from './fake-machine.ts';

const PRINTER = fileURLToPath(new URL('./fixtures/print-hardening-flags.js', import.meta.url));
const PROTO = '--disable-proto=delete';
const EVAL = '--disallow-code-generation-from-strings';
const SIGUSR1 = '--disable-sigusr1';

/** Flags of a process started with `options`. */
function flagsWith(...options: readonly string[]): HardeningFlags {
  const { stdout, stderr } = spawnSync(process.execPath, [...options, PRINTER], {
    encoding: 'utf8',
  });
  return stdout === '' ? expect.fail(stderr) : JSON.parse(stdout);
}

const NONE = { [PROTO]: false, [EVAL]: false, [SIGUSR1]: false } as const;

describe('Hardening options', () => {
  it('are detected one by one', () => {
    expect(flagsWith('--disable-proto=throw')).to.deep.equal({ ...NONE, [PROTO]: true });
    expect(flagsWith(EVAL)).to.deep.equal({ ...NONE, [EVAL]: true });
    if (process.allowedNodeEnvironmentFlags.has(SIGUSR1)) {
      expect(flagsWith(SIGUSR1)).to.deep.equal({ ...NONE, [SIGUSR1]: true });
    }
  });

  it('are reported by name when missing, with the command line', () => {
    const { state, message, remedy } = issueOf(checkHardeningFlags({ ...NONE, [PROTO]: true }));
    expect(state).to.equal('warning');
    expect(message).to.equal(`this process runs without ${EVAL}`);
    expect(remedy).to.include(`node ${PROTO} ${EVAL}`);
    const named = issueOf(checkHardeningFlags({ ...NONE, [PROTO]: true }, 'this command'));
    expect(named.message).to.equal(`this command runs without ${EVAL}`);
  });

  it('do not require the option that older Node releases lack', () => {
    const both = checkHardeningFlags({ ...NONE, [PROTO]: true, [EVAL]: true });
    expect(both).to.equal(`${PROTO}, ${EVAL}`);
    const all = checkHardeningFlags({ [PROTO]: true, [EVAL]: true, [SIGUSR1]: true });
    expect(all).to.equal(`${PROTO}, ${EVAL}, ${SIGUSR1}`);
  });
}).timeout(30_000);
