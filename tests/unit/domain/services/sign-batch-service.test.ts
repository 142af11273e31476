import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { Account } from '../../../../src/domain/model/account.ts';
import { CallerLeftError } from '../../../../src/domain/model/errors.ts';
import type { BatchItem } from '../../../../src/domain/services/sign-batch-service.ts';
import { MAX_SIGNED_TOGETHER } from '../../../../src/domain/services/sign-request-service.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { isSettled } from './is-settled.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf, rejectionOf } from './outcome-expectations.ts';
import { SAMPLE_DATA } from './sample-data.ts';
import { CONTEXT, createWorkbench, SigningWorkbench } from './signing-workbench.ts';

const item = (requestId: string, fields: Partial<BatchItem> = {}): BatchItem => ({
  requestId,
  platformId: 'alpha',
  accountId: 'main',
  data: { of: requestId },
  ...fields,
});

/** Signed in three slices: the bench's clock does not advance. */
const THREE_SLICES = Array.from({ length: 2 * MAX_SIGNED_TOGETHER + 6 }, (_, index) => item(`r-${index}`));

function delayedBench() {
  const bench = new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) });
  bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
  return bench;
}

describe('SignBatchService', () => {
  it('yields to other requests after each slice of signing, and not if it takes less', async () => {
    for (const [readingMs, isLong] of [
      [0.15, true],
      [0.001, false],
    ] as const) {
      const clock = new BusyClock(readingMs);
      const bench = createWorkbench({ clock });
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      const items = Array.from({ length: 16 }, (_, index) => item(`r-${index}`));
      let between = 0;
      clock.others = async () => {
        acceptedValue(await bench.signing.sign(item('another'), CONTEXT));
        between += 1;
      };
      const { results, summary } = await bench.batches.signAll(items, CONTEXT);
      expect(summary).to.deep.equal({ total: 16, successful: 16, failed: 0 });
      expect(results.map(({ requestId }) => requestId)).to.deep.equal(items.map(({ requestId }) => requestId));
      expect(between).to.be.within(isLong ? 4 : 0, isLong ? 16 : 0);
    }
  });

  it('signs nothing of a large batch in the tick of its arrival, and a small one at once', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    for (const [length, signedAtOnce] of [
      [17, 0],
      [1, 1],
    ] as const) {
      const before = bench.opened.length;
      const batch = bench.batches.signAll(
        Array.from({ length }, (_, index) => item(`r-${index}`)),
        CONTEXT,
      );
      expect(bench.opened.length - before).to.equal(signedAtOnce);
      expect((await batch).summary.successful).to.equal(length);
    }
  });

  it('signs for one of several large batches per tick, whatever their number', async () => {
    const clock = new BusyClock(2);
    const bench = createWorkbench({ clock });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const batches = ['a', 'b', 'c'].map((name) =>
      bench.batches.signAll(
        Array.from({ length: 17 }, (_, index) => item(`${name}-${index}`)),
        CONTEXT,
      ),
    );
    const settled = Promise.all(batches);
    const inEachTurn: string[][] = [];
    while (bench.sink.entries.length < 51) {
      const before = bench.sink.entries.length;
      await eventLoopTurn();
      const made = bench.sink.entries.slice(before).map(({ batchRequestId }) => batchRequestId?.slice(0, 1) ?? '');
      inEachTurn.push([...new Set(made)]);
    }
    await settled;
    expect(Math.max(...inEachTurn.map(({ length }) => length))).to.equal(1);
    expect(inEachTurn.flat().slice(0, 6)).to.deep.equal(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('begins no further item for a caller that has left, and records and counts those begun', async () => {
    const bench = createWorkbench({ clock: new BusyClock(2) });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const hasLeft = () => bench.sink.entries.length >= 3;
    const items = Array.from({ length: 40 }, (_, index) => item(`r-${index}`));
    const error = await rejectionOf(bench.batches.signAll(items, { ...CONTEXT, hasLeft }));
    expect(error).to.be.instanceOf(CallerLeftError);
    const { length } = bench.sink.entries;
    expect(length).to.be.within(3, 10);
    expect(bench.sink.entries.map(({ batchRequestId, outcome }) => [batchRequestId, outcome])).to.deep.equal(
      items.slice(0, length).map(({ requestId }) => [requestId, 'success']),
    );
    expect(bench.usage.usage('alpha', 'main').totalSigns).to.equal(length);
    expect(bench.metrics.attempts).to.have.lengthOf(length);
  });

  it('signs for several platforms and algorithms in one batch', async () => {
    const bench = createWorkbench();
    bench.serve(
      [samplePlatform({ format: 'A' }), samplePlatform({ platformId: 'beta', format: 'B' })],
      [
        bench.enrol({}, samplePrivateKey(1)),
        bench.enrol({ platformId: 'beta', algorithm: 'eip191' }, samplePrivateKey(2)),
      ],
    );
    const { results, summary } = await bench.batches.signAll(
      [
        item('one', { data: SAMPLE_DATA.A.data }),
        item('two', { platformId: 'beta', data: SAMPLE_DATA.B.data }),
        item('three', { data: SAMPLE_DATA.A.data }),
      ],
      CONTEXT,
    );
    expect(summary).to.deep.equal({ total: 3, successful: 3, failed: 0 });
    expect(results.map(({ requestId }) => requestId)).to.deep.equal(['one', 'two', 'three']);
    const signed = results.map(({ outcome }) => acceptedValue(outcome));
    expect(signed.map(({ algorithm }) => algorithm)).to.deep.equal(['ed25519', 'eip191', 'ed25519']);
    for (const [index, format] of (['A', 'B', 'A'] as const).entries()) {
      const result = signed[index] ?? expect.fail();
      expect(isValidSignature(result, Buffer.from(SAMPLE_DATA[format].text))).to.equal(true);
    }
  });

  it('lets each item succeed or fail on its own', async () => {
    const bench = createWorkbench();
    const broken = bench.enrol({ accountId: 'broken' }, samplePrivateKey(3));
    bench.serve(
      [samplePlatform()],
      [
        bench.enrol({}, samplePrivateKey(1)),
        bench.enrol({ accountId: 'disabled', status: 'disabled' }, samplePrivateKey(2)),
        broken,
      ],
    );
    bench.keyStore.discard(broken.key);
    const { results, summary } = await bench.batches.signAll(
      [
        item('1', { platformId: 'nowhere' }),
        item('2'),
        item('3', { accountId: 'nobody' }),
        item('4', { accountId: 'disabled' }),
        item('5', { data: { n: 2 ** 60 } }),
        item('6', { accountId: 'broken' }),
        item('7'),
      ],
      CONTEXT,
    );
    expect(results.map(({ outcome }) => (outcome.ok ? 'signed' : outcome.refusal.code))).to.deep.equal([
      'PLATFORM_NOT_SUPPORTED',
      'signed',
      'ACCOUNT_NOT_FOUND',
      'ACCOUNT_INACTIVE',
      'INVALID_DATA_FORMAT',
      'SIGNATURE_FAILED',
      'signed',
    ]);
    expect(summary).to.deep.equal({ total: 7, successful: 2, failed: 5 });
  });

  it('keeps request order, echoes requestIds and has consistent totals, for any item results', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 20 }), async (rights) => {
        const recorded = bench.sink.entries.length;
        const items = rights.map((isRight, index) => item(`request-${index}`, isRight ? {} : { accountId: 'nobody' }));
        const { results, summary } = await bench.batches.signAll(items, CONTEXT);
        expect(results.map(({ requestId }) => requestId)).to.deep.equal(items.map(({ requestId }) => requestId));
        expect(results.map(({ outcome }) => outcome.ok)).to.deep.equal(rights);
        for (const { requestId, outcome } of results) {
          if (outcome.ok) expect(outcome.value.payload.text).to.equal(`{"of":"${requestId}"}`);
        }
        const successful = rights.filter(Boolean).length;
        expect(summary).to.deep.equal({ total: rights.length, successful, failed: rights.length - successful });
        expect(bench.sink.entries.length - recorded).to.equal(rights.length);
      }),
    );
  });

  it('keeps the order of results even if records become durable in another order', async () => {
    const bench = delayedBench();
    const batch = bench.batches.signAll(THREE_SLICES, CONTEXT);
    await isSettled(batch);
    for (const index of [2, 0, 0]) bench.sink.succeed(index);
    const { results } = await batch;
    expect(results.map(({ requestId, outcome }) => [requestId, acceptedValue(outcome).payload.text])).to.deep.equal(
      THREE_SLICES.map(({ requestId }) => [requestId, `{"of":"${requestId}"}`]),
    );
  });

  it('writes one record per item, with its requestId and the correlationId of the batch', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    await bench.batches.signAll([item('x'), item('y', { accountId: 'nobody' }), item('z')], CONTEXT);
    const facts = bench.sink.entries.map((entry) => [
      entry.event,
      entry.batchRequestId,
      entry.correlationId,
      entry.outcome,
      entry.accountId,
    ]);
    expect(facts).to.deep.equal([
      ['sign', 'x', 'c-1', 'success', 'main'],
      ['sign', 'y', 'c-1', 'refused', 'nobody'],
      ['sign', 'z', 'c-1', 'success', 'main'],
    ]);
  });

  it('responds only when every record is durable, and withholds each signature whose record is not', async () => {
    const bench = delayedBench();
    const batch = bench.batches.signAll(THREE_SLICES, CONTEXT);
    await isSettled(batch);
    bench.sink.succeed();
    bench.sink.fail();
    expect(await isSettled(batch)).to.equal(false);
    bench.sink.succeed();
    const { results, summary } = await batch;
    const failed = results.slice(MAX_SIGNED_TOGETHER, 2 * MAX_SIGNED_TOGETHER);
    for (const { outcome } of failed) expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    const [total, successful] = [THREE_SLICES.length, THREE_SLICES.length - failed.length];
    expect(results.filter(({ outcome }) => outcome.ok)).to.have.length(successful);
    expect(summary).to.deep.equal({ total, successful, failed: failed.length });
    expect(bench.usage.usage('alpha', 'main')).to.deep.include({ totalSigns: successful, errorCount: 0 });
    expect(bench.performance.unrecorded).to.equal(failed.length);
  });

  it('releases nothing if no record can be written', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const { results, summary } = await bench.batches.signAll([item('1'), item('2')], CONTEXT);
    for (const { outcome } of results)
      expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    expect(summary).to.deep.equal({ total: 2, successful: 0, failed: 2 });
  });

  it('opens one key per signature, that of the item', async () => {
    const bench = createWorkbench();
    const spare = bench.enrol({ accountId: 'spare' }, samplePrivateKey(2));
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1)), spare]);
    const items = [item('1'), item('2', { accountId: 'spare' }), item('3', { accountId: 'nobody' }), item('4')];
    await bench.batches.signAll(items, CONTEXT);
    expect(bench.opened.map((identity) => identity?.accountId)).to.deep.equal(['main', 'spare', 'main']);
  });

  describe('when the configuration changes while it runs', () => {
    /** A batch of ten items, one a slice; `change` takes effect after the third. */
    async function changedAfterThree(change: (bench: SigningWorkbench, before: Account) => void) {
      const clock = new BusyClock(2);
      const bench = createWorkbench({ clock });
      const before = bench.enrol({}, samplePrivateKey(1));
      bench.serve([samplePlatform()], [before]);
      clock.others = async () => {
        if (bench.sink.entries.length !== 3) return;
        change(bench, before);
      };
      const items = Array.from({ length: 10 }, (_, index) => item(`r-${index}`));
      const { results } = await bench.batches.signAll(items, CONTEXT);
      return { bench, before, results, outcomes: results.map(({ outcome }) => outcome) };
    }

    const withdrawals: { readonly [what: string]: readonly [string, Parameters<typeof changedAfterThree>[0]] } = {
      'its account is disabled': [
        'ACCOUNT_INACTIVE',
        (bench, account) => bench.serve([samplePlatform()], [{ ...account, status: 'disabled' }]),
      ],
      'its platform is disabled': [
        'ACCOUNT_INACTIVE',
        (bench, account) => bench.serve([samplePlatform({ status: 'disabled' })], [account]),
      ],
      'its account is removed': ['ACCOUNT_NOT_FOUND', (bench) => bench.serve([samplePlatform()], [])],
      'its platform is removed': ['PLATFORM_NOT_SUPPORTED', (bench) => bench.serve([], [])],
      "its caller's permission is withdrawn": [
        'FORBIDDEN',
        (bench, account) => bench.serve([samplePlatform()], [account], []),
      ],
    };
    for (const [what, [code, change]] of Object.entries(withdrawals)) {
      it(`fails and records each unsigned item with ${code} when ${what}`, async () => {
        const { bench, before, outcomes } = await changedAfterThree(change);
        for (const outcome of outcomes.slice(0, 3)) {
          expect(acceptedValue(outcome).publicKey).to.equal(before.publicKey);
        }
        expect(outcomes.slice(3).map((outcome) => (outcome.ok ? 'signed' : outcome.refusal.code))).to.deep.equal(
          Array<string>(7).fill(code),
        );
        expect(bench.opened).to.have.length(3);
        expect(bench.sink.entries.map(({ errorCode }) => errorCode)).to.deep.equal([
          ...Array<null>(3).fill(null),
          ...Array<string>(7).fill(code),
        ]);
      });
    }

    it('signs the rest with the new key of an account whose key changed', async () => {
      let after: Account | undefined;
      const { before, results } = await changedAfterThree((bench, account) => {
        after = bench.enrol({}, samplePrivateKey(2));
        bench.serve([samplePlatform()], [after]);
        bench.keyStore.discard(account.key);
      });
      for (const [index, { requestId, outcome }] of results.entries()) {
        const result = acceptedValue(outcome);
        expect(result.publicKey).to.equal((index < 3 ? before : after)?.publicKey);
        expect(isValidSignature(result, Buffer.from(`{"of":"${requestId}"}`))).to.equal(true);
      }
    });
  });

  it('fails and records each item that the caller may not sign, and signs the others', async () => {
    const bench = createWorkbench();
    const main = bench.enrol({}, samplePrivateKey(1));
    const spare = bench.enrol({ accountId: 'spare' }, samplePrivateKey(2));
    bench.serve(
      [samplePlatform()],
      [main, spare],
      [{ principals: ['desk-*'], accounts: ['alpha/main'], operations: ['sign'] }],
    );
    const items = [item('1'), item('2', { accountId: 'spare' }), item('3', { accountId: 'nobody' }), item('4')];
    const { results, summary } = await bench.batches.signAll(items, CONTEXT);
    expect(summary).to.deep.equal({ total: 4, successful: 2, failed: 2 });
    expect(results.map(({ outcome }) => (outcome.ok ? null : outcome.refusal.code))).to.deep.equal([
      null,
      'FORBIDDEN',
      'ACCOUNT_NOT_FOUND',
      null,
    ]);
    const records = bench.sink.entries.map(({ batchRequestId, errorCode, principal }) => [
      batchRequestId,
      errorCode,
      principal,
    ]);
    expect(records).to.deep.include(['2', 'FORBIDDEN', CONTEXT.principal]);
  });
});
