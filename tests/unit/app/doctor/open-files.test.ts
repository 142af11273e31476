import { expect } from 'chai';
import { checkOpenFiles } from '../../../../src/app/doctor/open-files.ts';
import { MAX_CONNECTIONS } from '../../../../src/app/listeners.ts';
import { formatLimits, useTemporaryTree } from '../../adapters/machine/fake-machine.ts';

describe('checkOpenFiles', () => {
  const proc = useTemporaryTree();

  function check(files: string) {
    proc.write({ 'self/limits': formatLimits({ files }) });
    return checkOpenFiles(proc.path());
  }

  it('warns if the limit leaves no room for the files of the service, and names the setting', () => {
    const { state, message, remedy } = check('1024');
    expect(state).to.equal('warning');
    expect(message).to.include('1024').and.include(String(MAX_CONNECTIONS));
    expect(remedy).to.include('LimitNOFILE=').and.include('ulimit -Hn');
    expect(check('unlimited').state).to.equal('ok');
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
