import { chownSync } from 'node:fs';
import { expect } from 'chai';
import { checkDumpable, readDumpable } from '../../../src/machine/dumpable.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const USER = 54_321;

describe('Whether a process is dumpable', () => {
  const proc = useTemporaryTree();

  beforeEach(() => proc.write({ 'self/environ': '' }));

  it('is denied when its files in proc belong to another user than its own', () => {
    expect(readDumpable(proc.path(), USER)).to.equal('no');
    const { state, message } = checkDumpable(proc.path(), USER);
    expect(state).to.equal('ok');
    expect(message).to.match(/^not dumpable/);
  });

  it('is affirmed when they belong to its own user, with what to do', () => {
    if (process.geteuid?.() === 0) chownSync(proc.path('self/environ'), USER, USER);
    const user = process.geteuid?.() || USER;
    expect(readDumpable(proc.path(), user)).to.equal('yes');
    const { state, remedy } = checkDumpable(proc.path(), user);
    expect(state).to.equal('warning');
    expect(remedy).to.include('chmod 0711');
  });

  it('can not be told for root, who owns the files either way', () => {
    expect(readDumpable(proc.path(), 0)).to.equal('unknown');
    const { state, message, remedy } = checkDumpable(proc.path(), 0);
    expect(state).to.equal('warning');
    expect(message).to.match(/^can't tell: the user is root/);
    expect(remedy).to.include('user of its own');
  });

  it('can not be told where there is no proc, or no user', () => {
    expect(readDumpable(proc.path('none'), USER)).to.equal('unknown');
    expect(readDumpable(proc.path(), undefined)).to.equal('unknown');
    expect(checkDumpable(proc.path('none'), USER).state).to.equal('warning');
  });
});
