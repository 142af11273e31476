import { expect } from 'chai';
import { HeldMasterKeys } from '../../../../../../src/adapters/driven/credential-source/master-key/held-master-keys.ts';
import { MasterKey } from '../../../../../../src/adapters/driven/credential-source/master-key/master-key.ts';

describe('HeldMasterKeys', () => {
  const filled = (byte: number) => MasterKey.fill((key) => key.fill(byte));
  const bytesOf = (key: MasterKey | undefined) => key?.use((bytes) => bytes.toString('hex'));

  it('gives back each key that it holds, as often as it is asked', () => {
    const held = new HeldMasterKeys();
    const [first, second] = [filled(1), filled(2)];
    held.hold(first);
    held.hold(second);
    held.hold(first);
    first.destroy();
    for (let time = 0; time < 2; time += 1) {
      const opened = held.open(first.id);
      expect(bytesOf(opened)).to.equal('01'.repeat(32));
      expect(opened?.id).to.equal(first.id);
      opened?.destroy();
    }
    expect(bytesOf(held.open(second.id))).to.equal('02'.repeat(32));
    expect([held.has(first.id), held.has(second.id)]).to.deep.equal([true, true]);
    held.close();
  });

  it('holds nothing that it was not given, and nothing once closed', () => {
    const held = new HeldMasterKeys();
    expect(held.open('0011223344556677')).to.equal(undefined);
    const key = filled(3);
    held.hold(key);
    held.close();
    held.close();
    expect([held.has(key.id), held.open(key.id)]).to.deep.equal([false, undefined]);
  });

  it('can hold again after it was closed', () => {
    const held = new HeldMasterKeys();
    held.close();
    const key = filled(4);
    held.hold(key);
    expect(bytesOf(held.open(key.id))).to.equal('04'.repeat(32));
    held.close();
  });
});
