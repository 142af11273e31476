import { chownSync } from 'node:fs';
import { expect } from 'chai';
import { checkCoreDumps, checkDumpable, readDumpable } from '../../../../src/adapters/machine/core-dumps.ts';
import { formatLimits, issueOf, useTemporaryTree } from './fake-machine.ts';

type Dumpable = Parameters<typeof checkCoreDumps>[0];

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

  const COLLECTOR = { pattern: FORWARDING };
  const cases: readonly (readonly [what: string, Parameters<typeof machine>[0], dumpable: Dumpable, state: string])[] =
    [
      ['both limits are 0', {}, 'yes', 'ok'],
      ['only the soft limit is 0', { coreHard: '4096' }, 'yes', 'warning'],
      ['the process may be dumpable', { coreHard: '4096' }, 'unknown', 'warning'],
      ['the process is not dumpable', { core: 'unlimited', ...COLLECTOR }, 'no', 'ok'],
      ['root may read dumps of such a process', { core: 'unlimited', forRoot: '2' }, 'no', 'warning'],
      ['the limit keeps root from dumps', { forRoot: '2' }, 'no', 'ok'],
      ['a handler ignores the limit', COLLECTOR, 'yes', 'warning'],
      ['systemd takes dumps', { pattern: '|/usr/lib/systemd/systemd-coredump %P %u' }, 'yes', 'ok'],
      ['apport takes dumps', { pattern: '|/usr/share/apport/apport -p%p' }, 'yes', 'ok'],
    ];
  it('warns unless a limit, or the process itself, prevents dumps', () => {
    for (const [what, limits, dumpable, state] of cases) {
      machine(limits);
      const outcome = checkCoreDumps(dumpable, proc.path());
      expect(typeof outcome === 'string' ? 'ok' : outcome.state, what).to.equal(state);
    }
  });

  it('names the limit or the handler, and the remedies', () => {
    machine({ coreHard: '4096' });
    const { message, remedy } = issueOf(checkCoreDumps('yes', proc.path()));
    expect(message).to.include('hard limit');
    expect(remedy).to.include('ulimit -Hc 0').and.include('LimitCORE=0').and.include('--ulimit core=0:0');
    machine({ core: '4096' });
    expect(issueOf(checkCoreDumps('yes', proc.path())).remedy)
      .to.include('ulimit -c 0')
      .and.include('LimitCORE=0');
    machine(COLLECTOR);
    expect(issueOf(checkCoreDumps('yes', proc.path())).message).to.include('/usr/bin/core-collector');
  });

  it('warns when the limits are unknown', () => {
    const { state, message } = issueOf(checkCoreDumps('yes', proc.path()));
    expect([state, message.includes('unknown')]).to.deep.equal(['warning', true]);
  });
});

const USER = 54_321;

describe('Whether a process is dumpable', () => {
  const proc = useTemporaryTree();

  beforeEach(() => proc.write({ 'self/environ': '' }));

  it('is no when its files in proc belong to another user', () => {
    expect(readDumpable(proc.path(), USER)).to.equal('no');
    expect(checkDumpable(proc.path(), USER)).to.match(/^not dumpable/);
  });

  it('is yes when they belong to its user, with a remedy', () => {
    if (process.geteuid?.() === 0) chownSync(proc.path('self/environ'), USER, USER);
    const user = process.geteuid?.() || USER;
    expect(readDumpable(proc.path(), user)).to.equal('yes');
    const { state, remedy } = issueOf(checkDumpable(proc.path(), user));
    expect(state).to.equal('warning');
    expect(remedy).to.include('chmod 0711');
  });

  it('is unknown for root, who owns the files either way', () => {
    expect(readDumpable(proc.path(), 0)).to.equal('unknown');
    const { state, message, remedy } = issueOf(checkDumpable(proc.path(), 0));
    expect(state).to.equal('warning');
    expect(message).to.match(/^unknown: root/);
    expect(remedy).to.include('dedicated user');
  });

  it('is unknown without proc', () => {
    expect(readDumpable(proc.path('none'), USER)).to.equal('unknown');
    expect(issueOf(checkDumpable(proc.path('none'), USER)).state).to.equal('warning');
  });
});
