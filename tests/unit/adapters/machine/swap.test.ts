import { expect } from 'chai';
import { checkSwap } from '../../../../src/adapters/machine/swap.ts';
import { issueOf, useTemporaryTree } from './fake-machine.ts';

const HEADING = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';
const ONE_DEVICE = `${HEADING}/dev/sda2                               partition\t2097148\t\t0\t\t-2\n`;

describe('checkSwap', () => {
  const tree = useTemporaryTree();
  const check = () => checkSwap(tree.path('proc'), tree.path('cgroup'));

  it('passes without swap', () => {
    tree.write({ 'proc/swaps': HEADING });
    expect(check()).to.equal('none');
  });

  it('warns about swap, naming each device and the remedy', () => {
    tree.write({ 'proc/swaps': `${ONE_DEVICE}/swapfile file\t1\t0\t-3\n` });
    const { state, message, remedy } = issueOf(check());
    expect(state).to.equal('warning');
    expect(message).to.include('/dev/sda2, /swapfile');
    expect(remedy).to.include('swapoff').and.include('MemorySwapMax=0').and.include('--memory-swap');
  });

  it('passes when the list is hidden and the control group forbids swap', () => {
    tree.write({ 'proc/self/cgroup': '0::/system.slice/signing.service\n' });
    expect(issueOf(check()).state).to.equal('warning');
    expect(issueOf(check()).message).to.include('unknown');
    tree.write({ 'cgroup/system.slice/signing.service/memory.swap.max': '0\n' });
    expect(check()).to.be.a('string');
  });

  describe('with swap and a version 2 control group', () => {
    beforeEach(() =>
      tree.write({ 'proc/swaps': ONE_DEVICE, 'proc/self/cgroup': '0::/system.slice/signing.service\n' }),
    );

    for (const group of ['system.slice/signing.service/', 'system.slice/', '']) {
      it(`passes if swap is forbidden in /${group}`, () => {
        tree.write({ [`cgroup/${group}memory.swap.max`]: '0\n' });
        expect(check()).to.be.a('string');
      });
    }

    it('warns if swap is limited or allowed', () => {
      for (const limit of ['max\n', '1048576\n']) {
        tree.write({ 'cgroup/system.slice/signing.service/memory.swap.max': limit });
        expect(issueOf(check()).state, limit).to.equal('warning');
      }
    });

    it('warns if swap is forbidden only for a sibling', () => {
      tree.write({ 'cgroup/system.slice/other.service/memory.swap.max': '0\n' });
      expect(issueOf(check()).state).to.equal('warning');
    });
  });

  describe('with swap and a version 1 control group', () => {
    const limits = (memory: string, both: string) => ({
      'cgroup/memory/docker/abc/memory.limit_in_bytes': `${memory}\n`,
      'cgroup/memory/docker/abc/memory.memsw.limit_in_bytes': `${both}\n`,
    });

    beforeEach(() =>
      tree.write({ 'proc/swaps': ONE_DEVICE, 'proc/self/cgroup': '5:devices:/docker/abc\n4:cpu,memory:/docker/abc\n' }),
    );

    it('passes if the limits leave no swap, and warns if they leave some or there are none', () => {
      tree.write(limits('536870912', '536870912'));
      expect(check()).to.be.a('string');
      for (const [memory, both] of [
        ['536870912', '1073741824'],
        ['9223372036854771712', '9223372036854771712'],
      ] as const) {
        tree.write(limits(memory, both));
        expect(issueOf(check()).state).to.equal('warning');
      }
    });
  });
});
