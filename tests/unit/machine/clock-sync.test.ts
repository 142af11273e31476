import { expect } from 'chai';
import { checkClockSync } from '../../../src/machine/clock-sync.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const unavailable = () => Promise.reject(new Error('timedatectl is not there'));

describe('checkClockSync', () => {
  const tree = useTemporaryTree();
  const check = (ask: () => Promise<string>) => checkClockSync(ask, tree.path('synchronized'));

  it('is content when the system says that NTP has set the clock', async () => {
    expect((await check(async () => 'yes\n')).state).to.equal('ok');
  });

  it('warns when the system says that it has not, and says what to do', async () => {
    tree.write({ synchronized: '' });
    const { state, remedy } = await check(async () => 'no\n');
    expect(state).to.equal('warning');
    expect(remedy).to.include('set-ntp').and.include('--clock-reference');
  });

  it('is content with the mark that systemd-timesyncd leaves, where nothing can be asked', async () => {
    tree.write({ synchronized: '' });
    expect((await check(unavailable)).state).to.equal('ok');
  });

  it('warns when it can not tell', async () => {
    for (const ask of [unavailable, async () => '']) {
      const { state, message } = await check(ask);
      expect(state).to.equal('warning');
      expect(message).to.include("can't tell");
    }
  });

  it('asks this machine within its time, whatever the machine is', async () => {
    expect((await checkClockSync()).check).to.equal('clock');
  });
});
