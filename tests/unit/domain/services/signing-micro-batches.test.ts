import { expect } from 'chai';
import type { KeyHandle, SecretBytes } from '../../../../src/domain/model/account.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import type { SignRequest } from '../../../../src/domain/model/sign-request.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { CONTEXT, createWorkbench, REQUEST, serveMain } from './signing-workbench.ts';

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

/** A workbench over such a store, and the outcomes of requests that arrive in one tick. */
function setUp(clock: FixedClock = new FixedClock()) {
  const keyStore = new OpeningKeyStore();
  const { signing, sink } = serveMain(createWorkbench({ keyStore, clock }));
  const signAll = async (requests: readonly SignRequest[]) => {
    const outcomes = await Promise.all(requests.map((request) => signing.sign(request, CONTEXT)));
    return outcomes.map((outcome) => (outcome.ok ? outcome.value.payload.text : outcome.refusal.code));
  };
  return { keyStore, sink, signAll };
}

const request = (nth: number): SignRequest => ({ ...REQUEST, data: { nth } });
const UNKNOWN: SignRequest = { ...REQUEST, accountId: 'nobody' };

describe('Signatures of one tick', () => {
  it('open the key store once, each over its own data, and not for refused requests', async () => {
    const { keyStore, signAll } = setUp();
    const results = await signAll([request(1), UNKNOWN, request(2)]);
    expect(results).to.deep.equal(['{"nth":1}', 'ACCOUNT_NOT_FOUND', '{"nth":2}']);
    expect(keyStore.events).to.deep.equal(['open', 'use', 'use', 'shut']);
    keyStore.events.length = 0;
    await signAll([UNKNOWN]);
    expect(keyStore.events).to.deep.equal([]);
  });

  it('are all refused and recorded when it cannot be opened', async () => {
    const { keyStore, signAll, sink } = setUp();
    keyStore.isBroken = true;
    const failed = ['SIGNATURE_FAILED', 'SIGNATURE_FAILED'];
    expect(await signAll([request(1), request(2)])).to.deep.equal(failed);
    expect(sink.entries.map(({ errorCode }) => errorCode)).to.deep.equal(failed);
  });

  it('are never more than 32, regardless of their speed', async () => {
    const { keyStore, signAll } = setUp();
    await signAll(Array.from({ length: 33 }, (_, nth) => request(nth)));
    expect(keyStore.events.filter((event) => event === 'open')).to.have.length(2);
  });
});
