import { expect } from 'chai';
import { checkSwap } from '../../../src/machine/swap.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const HEADING = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';
const ONE_DEVICE = `${HEADING}/dev/sda2                               partition\t2097148\t\t0\t\t-2\n`;

describe('checkSwap', () => {
  const tree = useTemporaryTree();
  const check = () => checkSwap(tree.path('proc'), tree.path('cgroup'));

  it('is content when there is no swap', () => {
    tree.write({ 'proc/swaps': HEADING });
    expect(check()).to.deep.equal({ check: 'swap', state: 'ok', message: 'none', remedy: null });
  });

  it('warns of swap, names each device and says what to do', () => {
    tree.write({ 'proc/swaps': `${ONE_DEVICE}/swapfile file\t1\t0\t-3\n` });
    const { state, message, remedy } = check();
    expect(state).to.equal('warning');
    expect(message).to.include('/dev/sda2, /swapfile');
    expect(remedy).to.include('swapoff').and.include('MemorySwapMax=0').and.include('--memory-swap');
  });

  it('warns when it can not tell', () => {
    expect(check().state).to.equal('warning');
    expect(check().message).to.include("can't tell");
  });

  it('is content where the list is hidden and the control group forbids swap', () => {
    tree.write({ 'proc/self/cgroup': '0::/system.slice/signing.service\n' });
    expect(check().state).to.equal('warning');
    tree.write({ 'cgroup/system.slice/signing.service/memory.swap.max': '0\n' });
    expect(check().state).to.equal('ok');
  });

  describe('with swap that a control group of version 2', () => {
    beforeEach(() =>
      tree.write({ 'proc/swaps': ONE_DEVICE, 'proc/self/cgroup': '0::/system.slice/signing.service\n' }),
    );

    it('forbids, is content', () => {
      tree.write({ 'cgroup/system.slice/signing.service/memory.swap.max': '0\n' });
      expect(check().state).to.equal('ok');
    });

    it('above that of the process forbids, is content', () => {
      tree.write({ 'cgroup/system.slice/memory.swap.max': '0\n' });
      expect(check().state).to.equal('ok');
    });

    it('forbids in a container that sees only its own, is content', () => {
      tree.write({ 'cgroup/memory.swap.max': '0\n' });
      expect(check().state).to.equal('ok');
    });

    it('limits or leaves open, warns', () => {
      for (const limit of ['max\n', '1048576\n']) {
        tree.write({ 'cgroup/system.slice/signing.service/memory.swap.max': limit });
        expect(check().state, limit).to.equal('warning');
      }
    });

    it('forbids for a neighbour, warns', () => {
      tree.write({ 'cgroup/system.slice/other.service/memory.swap.max': '0\n' });
      expect(check().state).to.equal('warning');
    });
  });

  describe('with swap that a control group of version 1', () => {
    const limits = (memory: string, both: string) => ({
      'cgroup/memory/docker/abc/memory.limit_in_bytes': `${memory}\n`,
      'cgroup/memory/docker/abc/memory.memsw.limit_in_bytes': `${both}\n`,
    });

    beforeEach(() =>
      tree.write({ 'proc/swaps': ONE_DEVICE, 'proc/self/cgroup': '5:devices:/docker/abc\n4:cpu,memory:/docker/abc\n' }),
    );

    it('leaves nothing for swap, is content', () => {
      tree.write(limits('536870912', '536870912'));
      expect(check().state).to.equal('ok');
    });

    it('leaves room for swap, warns', () => {
      tree.write(limits('536870912', '1073741824'));
      expect(check().state).to.equal('warning');
    });

    it('does not limit at all, warns', () => {
      tree.write(limits('9223372036854771712', '9223372036854771712'));
      expect(check().state).to.equal('warning');
    });
  });
});
