import { expect } from 'chai';
import { NO_POLICY_APPLIES } from '../../../../src/domain/model/policy.ts';
import type { EndedAttempt } from '../../../../src/ports/metrics.ts';
import type { UsageLedger } from '../../../../src/ports/usage-ledger.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { CONTEXT, SigningWorkbench } from './signing-workbench.ts';

const REQUEST = { platformId: 'alpha', accountId: 'main', data: { of: 'anybody' } };
const SIGNED: Omit<EndedAttempt, 'durationMs'> = {
  operation: 'sign',
  platformId: 'alpha',
  algorithm: 'ed25519',
  outcome: 'success',
  decision: NO_POLICY_APPLIES,
  budgets: [],
  principal: 'desk-7',
  failure: null,
};

/**
 * Services on a clock that advances a millisecond a reading, with an account that may sign and one
 * that may not.
 */
function setUp(
  makeSink: (usage: UsageLedger) => MemoryAuditSink | FailingAuditSink = (usage) => new MemoryAuditSink(usage),
) {
  const bench = new SigningWorkbench({ makeSink, clock: new BusyClock(1) });
  const main = bench.enrol({}, samplePrivateKey(1));
  const idle = bench.enrol({ accountId: 'idle', status: 'disabled' }, samplePrivateKey(2));
  bench.serve([samplePlatform()], [main, idle]);
  bench.metrics.platformsConfigured(['alpha']);
  const attempts = () => bench.metrics.attempts.map(({ durationMs: _, ...rest }) => rest);
  return { bench, attempts };
}

describe('Metrics record', () => {
  it('each signing attempt, with the time from request to record', async () => {
    const { bench, attempts } = setUp();
    await bench.signing.sign(REQUEST, CONTEXT);
    expect(attempts()).to.deep.equal([SIGNED]);
    const [{ durationMs = 0 } = {}] = bench.metrics.attempts;
    expect(durationMs).to.be.above(bench.metrics.commits[0]?.durationMs ?? Number.POSITIVE_INFINITY);
  });

  it('refused attempts, by code and reason, without names from callers', async () => {
    const { bench, attempts } = setUp();
    const none = { platformId: null, algorithm: null };
    const cases = [
      [{ platformId: 'made-up' }, { ...none, code: 'PLATFORM_NOT_SUPPORTED' }],
      [{ accountId: 'made-up' }, { algorithm: null, code: 'ACCOUNT_NOT_FOUND' }],
      [{ accountId: 'idle' }, { code: 'ACCOUNT_INACTIVE' }],
    ] as const;
    for (const [change] of cases) await bench.signing.sign({ ...REQUEST, ...change }, CONTEXT);
    expect(attempts()).to.deep.equal(
      cases.map(([, { code, ...labels }]) => ({
        ...SIGNED,
        ...labels,
        outcome: 'refused',
        failure: { code, reason: null },
      })),
    );
    expect(JSON.stringify(attempts())).to.not.include('made-up');
  });

  it('attempts whose audit record failed', async () => {
    const { bench, attempts } = setUp(() => new FailingAuditSink());
    await bench.signing.sign(REQUEST, CONTEXT);
    const failure = { code: 'SIGNATURE_FAILED', reason: 'AUDIT_UNAVAILABLE' };
    expect(attempts()).to.deep.equal([{ ...SIGNED, outcome: 'failed', failure }]);
    expect(bench.metrics.commits.map(({ isDurable }) => isDurable)).to.deep.equal([false]);
  });

  it('verifications', async () => {
    const { bench, attempts } = setUp();
    await bench.verification.verify({ ...REQUEST, signature: 'x' }, CONTEXT);
    expect(attempts()).to.deep.equal([{ ...SIGNED, operation: 'verify' }]);
  });

  it('each item of a batch, and the batch size', async () => {
    const { bench, attempts } = setUp();
    const items = ['main', 'nobody', 'main'].map((accountId, index) => ({
      ...REQUEST,
      accountId,
      requestId: `r-${index}`,
    }));
    await bench.batches.signAll(items, CONTEXT);
    expect(bench.metrics.batches).to.deep.equal([3]);
    expect(attempts().map(({ outcome }) => outcome)).to.have.members(['success', 'refused', 'success']);
    expect(bench.metrics.commits).to.have.length(3);
  });
});
