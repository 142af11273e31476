import { expect } from 'chai';
import type { KeyHandle, SecretBytes } from '../../../../src/domain/model/account.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, type SigningWorkbench } from './signing-workbench.ts';

/** Records when it opens and closes. */
class OpeningKeyStore extends MockKeyStore {
  readonly events: string[] = [];
  isBroken = false;

  override use<Result>(handle: KeyHandle, action: (secret: SecretBytes) => Result): Result {
    this.events.push('use');
    return super.use(handle, action);
  }

  together<Result>(work: () => Result): Result {
    if (this.isBroken) throw new KeyUnavailableError('broken');
    this.events.push('open');
    const result = work();
    this.events.push('shut');
    return result;
  }
}

function benchOf(keyStore: OpeningKeyStore, clock: FixedClock = new FixedClock()): SigningWorkbench {
  const bench = createWorkbench({ keyStore, clock });
  bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
  return bench;
}

const request = (nth: number) => ({ platformId: 'alpha', accountId: 'main', data: { nth } });

describe('Signatures of one tick', () => {
  it('open the key store once, each over its own data', async () => {
    const keyStore = new OpeningKeyStore();
    const bench = benchOf(keyStore);
    const outcomes = await Promise.all([1, 2, 3].map((nth) => bench.signing.sign(request(nth), CONTEXT)));
    expect(keyStore.events).to.deep.equal(['open', 'use', 'use', 'use', 'shut']);
    for (const [index, outcome] of outcomes.entries()) {
      const result = acceptedValue(outcome);
      const payload = Buffer.from(`{"nth":${index + 1}}`);
      expect(isValidSignature(result, payload, samplePrivateKey(1))).to.equal(true);
    }
  });

  it('do not open it for refused requests, which keep their own results', async () => {
    const keyStore = new OpeningKeyStore();
    const bench = benchOf(keyStore);
    const requested = [{ ...request(1), accountId: 'nobody' }, request(2), { ...request(3), platformId: 'nowhere' }];
    const [first, second, third] = await Promise.all(requested.map((one) => bench.signing.sign(one, CONTEXT)));
    if (first === undefined || second === undefined || third === undefined) expect.fail('Three outcomes.');
    expect([refusalOf(first).code, refusalOf(third).code]).to.deep.equal([
      'ACCOUNT_NOT_FOUND',
      'PLATFORM_NOT_SUPPORTED',
    ]);
    expect(isValidSignature(acceptedValue(second), Buffer.from('{"nth":2}'), samplePrivateKey(1))).to.equal(true);
    expect(keyStore.events).to.deep.equal(['open', 'use', 'shut']);

    keyStore.events.length = 0;
    await bench.signing.sign({ ...request(4), accountId: 'nobody' }, CONTEXT);
    expect(keyStore.events).to.deep.equal([]);
  });

  it('are all refused and recorded when it cannot be opened', async () => {
    const keyStore = new OpeningKeyStore();
    const bench = benchOf(keyStore);
    keyStore.isBroken = true;
    const outcomes = await Promise.all([1, 2].map((nth) => bench.signing.sign(request(nth), CONTEXT)));
    expect(outcomes.map((outcome) => refusalOf(outcome).code)).to.deep.equal(['SIGNATURE_FAILED', 'SIGNATURE_FAILED']);
    expect(bench.sink.entries.map(({ errorCode }) => errorCode)).to.deep.equal([
      'SIGNATURE_FAILED',
      'SIGNATURE_FAILED',
    ]);
  });

  it('are made in order, over as many ticks as needed, with a time slice each', async () => {
    const keyStore = new OpeningKeyStore();
    const bench = benchOf(keyStore, new BusyClock(2));
    const outcomes = await Promise.all([1, 2, 3].map((nth) => bench.signing.sign(request(nth), CONTEXT)));
    expect(keyStore.events.join(' ')).to.equal('open use shut open use shut open use shut');
    expect(outcomes.every(({ ok }) => ok)).to.equal(true);
    expect(bench.sink.entries.map(({ data }) => data)).to.have.length(3);
  });

  it('are never more than 32, regardless of their speed', async () => {
    const keyStore = new OpeningKeyStore();
    const bench = benchOf(keyStore);
    await Promise.all(Array.from({ length: 33 }, (_, nth) => bench.signing.sign(request(nth), CONTEXT)));
    expect(keyStore.events.filter((event) => event === 'open')).to.have.length(2);
  });
});
