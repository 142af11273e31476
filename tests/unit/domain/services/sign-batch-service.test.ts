import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { BatchItem } from '../../../../src/domain/model/sign-request.ts';
import { MAX_TOGETHER } from '../../../../src/domain/services/sign-request-service.ts';
import { isValidSignature } from '../../../contracts/independent-verification.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import {
  CONTEXT,
  createDelayedWorkbench,
  createWorkbench,
  REQUEST,
  type SigningWorkbench,
  serveMain,
} from './signing-workbench.ts';

const item = (requestId: string): BatchItem => ({ ...REQUEST, requestId, data: { of: requestId } });
const itemsOf = (length: number, name = 'r') => Array.from({ length }, (_, index) => item(`${name}-${index}`));

/** Signed in three slices: the clock of a delayed workbench does not advance. */
const THREE_SLICES = itemsOf(2 * MAX_TOGETHER + 6);

describe('A batch', () => {
  it('yields to other requests after each slice of signing, and not if it takes less', async () => {
    for (const [readingMs, min, max] of [
      [0.15, 4, 16],
      [0.001, 0, 0],
    ] as const) {
      const clock = new BusyClock(readingMs);
      const bench = serveMain(createWorkbench({ clock }));
      let between = 0;
      clock.others = async () => {
        acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
        between += 1;
      };
      const outcomes = await bench.signing.signAll(itemsOf(16), CONTEXT);
      expect(outcomes.filter(({ ok }) => ok)).to.have.length(16);
      expect(between).to.be.within(min, max);
    }
  });

  it('signs nothing of a large batch in the tick of its arrival, and a small one at once', async () => {
    const bench = serveMain(createWorkbench());
    for (const [length, signedAtOnce] of [
      [17, 0],
      [16, 16],
    ] as const) {
      const before = bench.opened.length;
      const batch = bench.signing.signAll(itemsOf(length), CONTEXT);
      expect(bench.opened.length - before).to.equal(signedAtOnce);
      await batch;
    }
  });

  it('signs for one of several large batches per tick, whatever their number', async () => {
    const bench = serveMain(createWorkbench({ clock: new BusyClock(2) }));
    const batches = Promise.all(['a', 'b', 'c'].map((name) => bench.signing.signAll(itemsOf(17, name), CONTEXT)));
    const inEachTurn: string[][] = [];
    while (bench.sink.entries.length < 51) {
      const before = bench.sink.entries.length;
      await eventLoopTurn();
      const made = bench.sink.entries.slice(before).map(({ batchRequestId }) => batchRequestId?.slice(0, 1) ?? '');
      inEachTurn.push([...new Set(made)]);
    }
    await batches;
    expect(Math.max(...inEachTurn.map(({ length }) => length))).to.equal(1);
    expect(inEachTurn.flat().slice(0, 6)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('responds only when every record is durable, and withholds each signature whose record is not', async () => {
    const bench = createDelayedWorkbench();
    const batch = bench.signing.signAll(THREE_SLICES, CONTEXT);
    await isSettled(batch);
    bench.sink.succeed();
    bench.sink.fail();
    expect(await isSettled(batch)).to.equal(false);
    bench.sink.succeed();
    const outcomes = await batch;
    const failed = outcomes.slice(MAX_TOGETHER, 2 * MAX_TOGETHER);
    for (const outcome of failed) expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    const successful = THREE_SLICES.length - failed.length;
    expect(outcomes.filter(({ ok }) => ok)).to.have.length(successful);
    expect(bench.usage.usage('alpha', 'main')).to.deep.include({ totalSigns: successful, errorCount: 0 });
    expect(bench.performance.unrecorded).to.equal(failed.length);
  });

  it('counts each item with its share of the time, and no failed item in the mean', async () => {
    const bench = createDelayedWorkbench();
    for (const [accountId, milliseconds] of [
      ['main', 20],
      ['nobody', 1000],
    ] as const) {
      const batch = bench.signing.signAll(
        itemsOf(10).map((each) => ({ ...each, accountId })),
        CONTEXT,
      );
      await isSettled(batch);
      bench.clock.advance(milliseconds);
      bench.sink.succeed();
      await batch;
    }
    expect(bench.performance.avgSigningTimeMs).to.equal(2);
    expect(bench.metrics.durations.slice(9, 11)).to.deep.equal([2, 100]);
  });

  describe('when the configuration changes while it runs', () => {
    /** A batch of ten items, one a slice; `change` takes effect after the third. */
    async function changedAfterThree(change: (bench: SigningWorkbench, before: Account) => void) {
      const clock = new BusyClock(2);
      const bench = createWorkbench({ clock });
      const before = bench.enrol({}, samplePrivateKey(1));
      bench.serve([samplePlatform()], [before]);
      clock.others = async () => {
        if (bench.sink.entries.length === 3) change(bench, before);
      };
      const outcomes = await bench.signing.signAll(itemsOf(10), CONTEXT);
      return { bench, before, outcomes };
    }

    const withdrawals: { readonly [what: string]: readonly [string, Parameters<typeof changedAfterThree>[0]] } = {
      'its account is disabled': [
        'ACCOUNT_INACTIVE',
        (bench, account) => bench.serve([samplePlatform()], [{ ...account, status: 'disabled' }]),
      ],
      'its platform is removed': ['PLATFORM_NOT_SUPPORTED', (bench) => bench.serve([], [])],
      "its caller's permission is withdrawn": [
        'FORBIDDEN',
        (bench, account) => bench.serve([samplePlatform()], [account], []),
      ],
    };
    for (const [what, [code, change]] of Object.entries(withdrawals)) {
      it(`fails and records each unsigned item with ${code} when ${what}`, async () => {
        const { bench, outcomes } = await changedAfterThree(change);
        const codes = [...Array<null>(3).fill(null), ...Array<string>(7).fill(code)];
        expect(outcomes.map((outcome) => (outcome.ok ? null : outcome.refusal.code))).to.deep.equal(codes);
        expect(bench.sink.entries.map(({ errorCode }) => errorCode)).to.deep.equal(codes);
        expect(bench.opened).to.have.length(3);
      });
    }

    it('signs the rest with the new key of an account whose key changed', async () => {
      let after: Account | undefined;
      const { before, outcomes } = await changedAfterThree((bench, account) => {
        after = bench.enrol({}, samplePrivateKey(2));
        bench.serve([samplePlatform()], [after]);
        bench.keyStore.discard(account.key);
      });
      for (const [index, outcome] of outcomes.entries()) {
        const result = acceptedValue(outcome);
        expect(result.publicKey).to.equal((index < 3 ? before : after)?.publicKey);
        expect(isValidSignature(result, Buffer.from(`{"of":"r-${index}"}`))).to.equal(true);
      }
    });
  });
});
