import { expect } from 'chai';
import { checkCoreDumps } from '../../../src/machine/core-dumps.ts';
import { limitsText } from './proc-limits-text.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const FORWARDING = '|/usr/bin/core-collector %p';

describe('checkCoreDumps', () => {
  const proc = useTemporaryTree();

  function machine({ core = '0', coreHard = '', pattern = 'core', forRoot = '0' }): void {
    proc.write({
      'self/limits': limitsText({ core, coreHard: coreHard || core }),
      'sys/kernel/core_pattern': `${pattern}\n`,
      'sys/fs/suid_dumpable': `${forRoot}\n`,
    });
  }

  it('is content when both limits are 0', () => {
    machine({});
    expect(checkCoreDumps('yes', proc.path())).to.deep.include({
      state: 'ok',
      message: 'none: the limit is 0, and so is the hard limit',
    });
  });

  for (const coreHard of ['unlimited', '4096']) {
    it(`warns of the hard limit ${coreHard} behind a limit of 0, and says how to set it`, () => {
      machine({ coreHard });
      for (const dumpable of ['yes', 'unknown'] as const) {
        const { state, message, remedy } = checkCoreDumps(dumpable, proc.path());
        expect(state).to.equal('warning');
        expect(message).to.include('hard limit');
        expect(remedy).to.include('ulimit -Hc 0').and.include('LimitCORE=0').and.include('--ulimit core=0:0');
      }
      expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
    });
  }

  for (const core of ['unlimited', '4096']) {
    it(`warns of the limit ${core}, and says how to set it`, () => {
      machine({ core });
      const { state, remedy } = checkCoreDumps('yes', proc.path());
      expect(state).to.equal('warning');
      expect(remedy).to.include('ulimit -c 0').and.include('LimitCORE=0').and.include('--ulimit core=0:0');
      expect(checkCoreDumps('unknown', proc.path()).state).to.equal('warning');
    });
  }

  it('is content with any limit when the process is not dumpable', () => {
    machine({ core: 'unlimited', pattern: FORWARDING });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
  });

  it('is not, when the system dumps such processes for root', () => {
    machine({ core: 'unlimited', forRoot: '2' });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('warning');
    machine({ core: '0', forRoot: '2' });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
  });

  it('warns of a program that takes dumps whatever the limit is, and names it', () => {
    machine({ pattern: FORWARDING });
    const { state, message } = checkCoreDumps('yes', proc.path());
    expect(state).to.equal('warning');
    expect(message).to.include('/usr/bin/core-collector');
  });

  for (const pattern of ['|/usr/lib/systemd/systemd-coredump %P %u %g %s %t %c %h', '|/usr/share/apport/apport -p%p']) {
    it(`is content with ${pattern}, which keeps to the limit`, () => {
      machine({ pattern });
      expect(checkCoreDumps('yes', proc.path()).state).to.equal('ok');
    });
  }

  it('warns when it can not tell', () => {
    expect(checkCoreDumps('yes', proc.path()).message).to.include("can't tell");
    expect(checkCoreDumps('yes', proc.path()).state).to.equal('warning');
  });
});
