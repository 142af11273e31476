import { chownSync } from 'node:fs';
import { expect } from 'chai';
import { checkCoreDumps, checkDumpable, readDumpable } from '../../../../src/adapters/machine/core-dumps.ts';
import { formatLimits, useTemporaryTree } from './fake-machine.ts';

const FORWARDING = '|/usr/bin/core-collector %p';

describe('checkCoreDumps', () => {
  const proc = useTemporaryTree();

  function machine({ core = '0', coreHard = '', pattern = 'core', forRoot = '0' }): void {
    proc.write({
      'self/limits': formatLimits({ core, coreHard: coreHard || core }),
      'sys/kernel/core_pattern': `${pattern}\n`,
      'sys/fs/suid_dumpable': `${forRoot}\n`,
    });
  }

  it('passes when both limits are 0', () => {
    machine({});
    expect(checkCoreDumps('yes', proc.path())).to.deep.include({
      state: 'ok',
      message: 'none: the limit is 0, and so is the hard limit',
    });
  });

  it('warns about a hard limit above a soft limit of 0, with a remedy', () => {
    machine({ coreHard: '4096' });
    for (const dumpable of ['yes', 'unknown'] as const) {
      const { state, message, remedy } = checkCoreDumps(dumpable, proc.path());
      expect(state).to.equal('warning');
      expect(message).to.include('hard limit');
      expect(remedy).to.include('ulimit -Hc 0').and.include('LimitCORE=0').and.include('--ulimit core=0:0');
    }
    expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
  });

  it('warns about a limit, with a remedy', () => {
    machine({ core: '4096' });
    const { state, remedy } = checkCoreDumps('yes', proc.path());
    expect(state).to.equal('warning');
    expect(remedy).to.include('ulimit -c 0').and.include('LimitCORE=0').and.include('--ulimit core=0:0');
    expect(checkCoreDumps('unknown', proc.path()).state).to.equal('warning');
  });

  it('passes with any limit when the process is not dumpable', () => {
    machine({ core: 'unlimited', pattern: FORWARDING });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
  });

  it('warns when the system dumps such processes for root', () => {
    machine({ core: 'unlimited', forRoot: '2' });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('warning');
    machine({ core: '0', forRoot: '2' });
    expect(checkCoreDumps('no', proc.path()).state).to.equal('ok');
  });

  it('warns about a handler that ignores the limit, by name', () => {
    machine({ pattern: FORWARDING });
    const { state, message } = checkCoreDumps('yes', proc.path());
    expect(state).to.equal('warning');
    expect(message).to.include('/usr/bin/core-collector');
  });

  it('passes with handlers that respect the limit', () => {
    for (const pattern of ['|/usr/lib/systemd/systemd-coredump %P %u', '|/usr/share/apport/apport -p%p']) {
      machine({ pattern });
      expect(checkCoreDumps('yes', proc.path()).state, pattern).to.equal('ok');
    }
  });

  it('warns when the limits are unknown', () => {
    expect(checkCoreDumps('yes', proc.path()).message).to.include('unknown');
    expect(checkCoreDumps('yes', proc.path()).state).to.equal('warning');
  });
});

const USER = 54_321;

describe('Whether a process is dumpable', () => {
  const proc = useTemporaryTree();

  beforeEach(() => proc.write({ 'self/environ': '' }));

  it('is no when its files in proc belong to another user', () => {
    expect(readDumpable(proc.path(), USER)).to.equal('no');
    const { state, message } = checkDumpable(proc.path(), USER);
    expect(state).to.equal('ok');
    expect(message).to.match(/^not dumpable/);
  });

  it('is yes when they belong to its user, with a remedy', () => {
    if (process.geteuid?.() === 0) chownSync(proc.path('self/environ'), USER, USER);
    const user = process.geteuid?.() || USER;
    expect(readDumpable(proc.path(), user)).to.equal('yes');
    const { state, remedy } = checkDumpable(proc.path(), user);
    expect(state).to.equal('warning');
    expect(remedy).to.include('chmod 0711');
  });

  it('is unknown for root, who owns the files either way', () => {
    expect(readDumpable(proc.path(), 0)).to.equal('unknown');
    const { state, message, remedy } = checkDumpable(proc.path(), 0);
    expect(state).to.equal('warning');
    expect(message).to.match(/^unknown: root/);
    expect(remedy).to.include('dedicated user');
  });

  it('is unknown without proc', () => {
    expect(readDumpable(proc.path('none'), USER)).to.equal('unknown');
    expect(checkDumpable(proc.path('none'), USER).state).to.equal('warning');
  });
});
