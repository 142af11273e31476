import { expect } from 'chai';
import { MAX_CONNECTIONS } from '../../../../src/adapters/http/server.ts';
import { checkOpenFiles } from '../../../../src/app/doctor/open-files.ts';
import { formatLimits, useTemporaryTree } from '../../adapters/machine/fake-machine.ts';

describe('checkOpenFiles', () => {
  const proc = useTemporaryTree();

  function check(files: string) {
    proc.write({ 'self/limits': formatLimits({ files }) });
    return checkOpenFiles(proc.path());
  }

  it('passes if all connections leave room for the files of the service', () => {
    for (const files of ['20000', 'unlimited']) expect(check(files).state, files).to.equal('ok');
  });

  it('warns if they leave none, and names the setting', () => {
    for (const files of ['1024', String(MAX_CONNECTIONS)]) {
      const { state, message, remedy } = check(files);
      expect(state, files).to.equal('warning');
      expect(message).to.include(files).and.include(String(MAX_CONNECTIONS));
      expect(remedy).to.include('LimitNOFILE=').and.include('ulimit -Hn');
    }
  });

  it('requires exactly the reported limit', () => {
    const needed = Number(/LimitNOFILE=(\d+)/.exec(check('1024').remedy ?? '')?.[1]);
    expect(check(String(needed)).state).to.equal('ok');
    expect(check(String(needed - 1)).state).to.equal('warning');
  });

  it('accepts a system that exposes no limits', () => {
    expect(checkOpenFiles(proc.path('nowhere')).state).to.equal('ok');
  });
});
