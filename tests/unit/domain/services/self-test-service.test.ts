import { expect } from 'chai';
import { loadSigners } from '../../../../src/app/load-signer.ts';
import { IDENTIFIER_PATTERN } from '../../../../src/domain/model/account.ts';
import { ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import { SelfTestService } from '../../../../src/domain/services/self-test-service.ts';
import type { KeyStore } from '../../../../src/ports/key-store.ts';
import type { SignerTable } from '../../../../src/ports/signer.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';

const SIGNERS = await loadSigners();

function setUp(keyStore: KeyStore, signers: SignerTable = SIGNERS) {
  const clock = new FixedClock();
  const service = new SelfTestService({ keyStore, signers, clock });
  /** Runs the test after the last result expired. */
  const runAnew = () => {
    clock.advance(250);
    return service.run();
  };
  return { clock, service, runAnew };
}

describe('SelfTestService', () => {
  it('names the algorithms whose signatures are invalid, and no others', () => {
    let isFaulty = false;
    const { ed25519 } = SIGNERS;
    const faulty = alteredSigner(ed25519, {
      sign: (key, message, encoding) => ed25519.sign(key, isFaulty ? Buffer.from('another') : message, encoding),
    });
    const { service, runAnew } = setUp(new MockKeyStore(), { ...SIGNERS, ed25519: faulty });
    expect(service.run()).to.equal(null);
    isFaulty = true;
    expect(runAnew()).to.match(/^The signing self-test fails for ed25519\. /);
    isFaulty = false;
    expect(runAnew()).to.equal(null);
  });

  it('keeps one key per algorithm in the KeyStore, under names that no account can have', () => {
    const keyStore = new MockKeyStore();
    const { service, runAnew } = setUp(keyStore);
    service.run();
    runAnew();
    const created = keyStore.calls.filter(({ call }) => call === 'create').map(({ identity }) => identity);
    expect(created.map((identity) => identity?.algorithm)).to.deep.equal(ALGORITHMS);
    for (const identity of created) {
      expect(identity?.platformId).not.to.match(IDENTIFIER_PATTERN);
      expect(identity?.accountId).not.to.match(IDENTIFIER_PATTERN);
    }
  });

  it('opens keys at most every 250 ms', () => {
    const keyStore = new MockKeyStore();
    const { clock, service } = setUp(keyStore);
    service.run();
    keyStore.calls.length = 0;
    clock.advance(249);
    service.run();
    expect(keyStore.calls).to.deep.equal([]);
    clock.advance(1);
    service.run();
    expect(keyStore.calls).to.have.length.at.least(ALGORITHMS.length);
  });
});
