import { Ed25519Signer } from '../../src/adapters/signing/ed25519-signer.ts';
import type { AuditEntry } from '../../src/domain/model/audit-entry.ts';
import { CredentialLoadError } from '../../src/domain/model/errors.ts';
import type { EndedAttempt } from '../../src/ports/metrics.ts';
import type { RateGrant, RateRequest } from '../../src/ports/rate-limiter.ts';
import { alteredSigner } from '../doubles/altered-signer.ts';
import { DelayingAuditSink } from '../doubles/delaying-audit-sink.ts';
import { DelayingRateLimiter } from '../doubles/delaying-rate-limiter.ts';
import { FailingAuditSink } from '../doubles/failing-audit-sink.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../doubles/memory-audit-sink.ts';
import { RecordingMetrics } from '../doubles/recording-metrics.ts';
import { RecordingUsageLedger } from '../doubles/recording-usage-ledger.ts';
import { StagedCredentialSource } from '../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../doubles/tracking-key-store.ts';
import { WindowBudgetLedger } from '../doubles/window-budget-ledger.ts';
import { describeAuditSinkContract, describeUnavailableAuditSinkContract } from './audit-sink-contract.ts';
import { describeBudgetLedgerContract } from './budget-ledger-contract.ts';
import { describeCredentialSourceContract } from './credential-source-contract.ts';
import { isEd25519Signature } from './independent-verification.ts';
import { describeKeyStoreContract } from './key-store-contract.ts';
import { describeMetricsContract } from './metrics-contract.ts';
import { describeRateLimiterContract } from './rate-limiter-contract.ts';
import { describeSignerContract } from './signer-contract.ts';
import { describeUsageLedgerContract } from './usage-ledger-contract.ts';

/** Lets each append succeed at once. */
class PromptAuditSink extends DelayingAuditSink {
  override async append(...entries: readonly AuditEntry[]): Promise<void> {
    const appended = super.append(...entries);
    if (this.waiting.length > 0) this.succeed();
    await appended;
  }
}

/** Responds to each request at once. */
class PromptRateLimiter extends DelayingRateLimiter {
  override async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const grants = super.take(requests);
    this.answer();
    return grants;
  }
}

const limiterClock = new FixedClock();

describeRateLimiterContract('DelayingRateLimiter, let answer at once', {
  make: async (budget) => new PromptRateLimiter(budget, limiterClock),
  wait: (milliseconds) => limiterClock.advance(milliseconds),
});

describeAuditSinkContract('DelayingAuditSink, let succeed at once', async () => {
  const usage = new RecordingUsageLedger();
  const sink = new PromptAuditSink(usage);
  return { sink, usage, durableEntries: async () => sink.durable, dispose: async () => {} };
});

describeAuditSinkContract('MemoryAuditSink', async () => {
  const usage = new RecordingUsageLedger();
  const sink = new MemoryAuditSink(usage);
  return { sink, usage, durableEntries: async () => sink.entries, dispose: async () => {} };
});

describeUnavailableAuditSinkContract('FailingAuditSink', async () => ({
  sink: new FailingAuditSink(),
  usage: new RecordingUsageLedger(),
  durableEntries: async () => [],
  dispose: async () => {},
}));

describeMetricsContract('RecordingMetrics', () => {
  const metrics = new RecordingMetrics();
  const isAlike = (one: EndedAttempt, other: EndedAttempt) =>
    (['operation', 'platformId', 'algorithm', 'outcome'] as const).every((field) => one[field] === other[field]);
  return {
    metrics,
    attempts: async () =>
      metrics.attempts
        .filter((attempt, index, all) => all.findIndex((one) => isAlike(one, attempt)) === index)
        .map((attempt) => {
          const { operation, platformId, algorithm, outcome } = attempt;
          const count = metrics.attempts.filter((one) => isAlike(one, attempt)).length;
          return { operation, platformId, algorithm, outcome, count };
        }),
    batchItems: async () => metrics.batches.reduce((sum, items) => sum + items, 0),
    commits: async () => ({
      durable: metrics.commits.filter(({ isDurable }) => isDurable).length,
      failed: metrics.commits.filter(({ isDurable }) => !isDurable).length,
    }),
    callers: async () => {
      const counts: { [caller: string]: { signatures: number; errors: { [code: string]: number } } } = {};
      for (const { caller, code } of metrics.callerAttempts) {
        const count = counts[caller] ?? { signatures: 0, errors: {} };
        counts[caller] = count;
        if (code === null) count.signatures += 1;
        else count.errors[code] = (count.errors[code] ?? 0) + 1;
      }
      return counts;
    },
    requests: async (route, status) =>
      metrics.requests.filter((request) => request.route === route && request.status === status).length,
  };
});

const budgetClock = new FixedClock();

describeBudgetLedgerContract('WindowBudgetLedger', {
  make: async () => new WindowBudgetLedger(budgetClock),
  wait: (milliseconds) => budgetClock.advance(milliseconds),
});

describeUsageLedgerContract('RecordingUsageLedger', () => new RecordingUsageLedger());

describeKeyStoreContract('TrackingKeyStore', () => new TrackingKeyStore());

describeCredentialSourceContract('StagedCredentialSource', async () => ({
  make: async (configuration) => new StagedCredentialSource(configuration),
  makeWrong: async () => {
    const source = new StagedCredentialSource();
    source.failWith(new CredentialLoadError('staged', [{ path: 'accounts[0]', message: 'is wrong' }]));
    return source;
  },
  dispose: async () => {},
}));

describeSignerContract('alteredSigner that alters nothing', {
  make: () => {
    const signer = new Ed25519Signer();
    return alteredSigner(signer, { sign: (key, message, encoding) => signer.sign(key, message, encoding) });
  },
  invalidKeys: [],
  verifyIndependently: ({ publicKey, message, signature }) => isEd25519Signature(publicKey, message, signature),
});
