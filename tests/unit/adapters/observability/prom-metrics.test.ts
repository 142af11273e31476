import { expect } from 'chai';
import { COUNTED_METRICS } from '../../../../src/adapters/observability/metric-definition.ts';
import { PROCESS_METRICS } from '../../../../src/adapters/observability/process-registry.ts';
import { PromMetrics } from '../../../../src/adapters/observability/prom-metrics.ts';
import { ACCOUNT_METRICS, READ_METRICS } from '../../../../src/adapters/observability/read-metrics.ts';
import { NO_POLICY_APPLIES } from '../../../../src/domain/model/policy.ts';
import type { AccountUsageList, ServiceState } from '../../../../src/domain/model/service-state.ts';
import type { EndedAttempt, MetricsFormat } from '../../../../src/ports/metrics.ts';
import { describeMetricsContract } from '../../../contracts/metrics-contract.ts';
import { quietState } from '../../../doubles/quiet-state.ts';
import { type MetricsPage, readPage, valueIn } from '../../../metrics/read-page.ts';

const SIGNED: EndedAttempt = {
  operation: 'sign',
  platformId: 'alpha',
  algorithm: 'ed25519',
  outcome: 'success',
  decision: NO_POLICY_APPLIES,
  budgets: [],
  principal: null,
  failure: null,
  durationMs: 1.5,
};

async function textOf(metrics: PromMetrics, state = quietState(), format: MetricsFormat = 'text'): Promise<string> {
  return [...(await metrics.page(format, state))].join('');
}

async function renderPage(metrics: PromMetrics, state?: ServiceState): Promise<MetricsPage> {
  return readPage(await textOf(metrics, state));
}

/** Accounts of a platform, with their index as signatures and one error each. */
function accountsNamed(names: readonly string[]): AccountUsageList {
  return {
    length: names.length,
    slice: (begin, end) =>
      names.slice(begin, end).map((accountId, index) => {
        return { platformId: 'alpha', accountId, totalSigns: begin + index, errorCount: 1 };
      }),
  };
}

const named = (text: string | undefined) => (text === '(none)' || text === undefined ? null : text);

describeMetricsContract('PromMetrics', () => {
  const metrics = new PromMetrics({ namesCallers: true });
  return {
    metrics,
    attempts: async () =>
      (await renderPage(metrics)).samples
        .filter(({ name }) => name === 'signing_attempt_duration_seconds_count')
        .map(({ labels: { operation = '', platform, algorithm, outcome = '' }, value }) => {
          return { operation, platformId: named(platform), algorithm: named(algorithm), outcome, count: value };
        }),
    batchItems: async () => valueIn(await renderPage(metrics), 'signing_batch_items_sum') ?? Number.NaN,
    commits: async () => {
      const page = await renderPage(metrics);
      const count = (outcome: string) => valueIn(page, 'signing_audit_commit_duration_seconds_count', { outcome }) ?? 0;
      return { durable: count('durable'), failed: count('failed') };
    },
    callers: async () => {
      const { samples } = await renderPage(metrics);
      const counts: { [caller: string]: { signatures: number; errors: { [code: string]: number } } } = {};
      for (const { name, labels, value } of samples) {
        const { caller = '', code = '' } = labels;
        if (!name.startsWith('signing_caller_')) continue;
        const count = counts[caller] ?? { signatures: 0, errors: {} };
        counts[caller] = count;
        if (name === 'signing_caller_signatures_total') count.signatures = value;
        else count.errors[code] = value;
      }
      return counts;
    },
    requests: async (route, status) => {
      const labels = { route: route ?? '(none)', status: status === null ? '(none)' : String(status) };
      return valueIn(await renderPage(metrics), 'signing_http_request_duration_seconds_count', labels) ?? 0;
    },
  };
});

describe('PromMetrics', () => {
  it('counts by caller only if that is configured', async () => {
    const metrics = new PromMetrics();
    metrics.callersConfigured({ entries: [{ principals: ['desk-7'], operations: ['status'] }] });
    metrics.attemptEnded({ ...SIGNED, principal: 'desk-7' });
    expect(await textOf(metrics)).not.to.match(/desk-7|signing_caller_/);
  });

  it('shows listed callers from 0', async () => {
    const metrics = new PromMetrics({ namesCallers: true });
    metrics.callersConfigured({ entries: [{ principals: ['desk-7', 'bot-*'], operations: ['status'] }] });
    const page = await renderPage(metrics);
    for (const caller of ['desk-7', 'bot-*', '(other)', 'anonymous']) {
      expect(valueIn(page, 'signing_caller_signatures_total', { caller }), caller).to.equal(0);
    }
  });

  it('counts refusals by configured budget, and drops those of budgets that are gone', async () => {
    const metrics = new PromMetrics();
    const failure = { code: 'BUDGET_EXCEEDED', reason: 'OVER_BUDGET' };
    metrics.budgetsConfigured(['daily', 'count']);
    metrics.attemptEnded({ ...SIGNED, outcome: 'refused', failure, budgets: ['daily', 'unknown'] });
    expect(await textOf(metrics)).to.match(/signing_budget_refusals_total\{budget="daily"\} 1\n.*budget="count"\} 0\n/);
    expect(await textOf(metrics)).not.to.include('unknown');
    metrics.budgetsConfigured(['count']);
    expect(await textOf(metrics)).not.to.include('budget="daily"');
  });

  it('observes durations in seconds, in inclusive buckets', async () => {
    const metrics = new PromMetrics();
    metrics.platformsConfigured(['alpha']);
    for (const durationMs of [1.5, 30, 9000]) metrics.attemptEnded({ ...SIGNED, durationMs });
    const page = await renderPage(metrics);
    const upTo = (le: string) => valueIn(page, 'signing_attempt_duration_seconds_bucket', { le });
    expect([upTo('0.001'), upTo('0.0025'), upTo('0.05'), upTo('2.5'), upTo('+Inf')]).to.deep.equal([0, 1, 2, 2, 3]);
    expect(valueIn(page, 'signing_attempt_duration_seconds_sum')).to.be.closeTo(9.0315, 1e-9);
  });

  it('initialises error counters to 0, so that the first error is an increase', async () => {
    const metrics = new PromMetrics();
    metrics.platformsConfigured(['alpha']);
    const page = await renderPage(metrics);
    for (const reason of ['(none)', 'AUDIT_UNAVAILABLE', 'SIGNATURE_FAULTY']) {
      for (const operation of ['sign', 'verify']) {
        const labels = { operation, platform: 'alpha', code: 'SIGNATURE_FAILED', reason };
        expect(valueIn(page, 'signing_attempt_errors_total', labels), reason).to.equal(0);
      }
    }
    expect(valueIn(page, 'signing_http_refusals_total', { code: 'INTERNAL_ERROR' })).to.equal(0);
    expect(valueIn(page, 'signing_audit_commit_duration_seconds_count', { outcome: 'failed' })).to.equal(0);
  });

  it('merges all unusual methods', async () => {
    const metrics = new PromMetrics();
    const request = { route: null, status: 405, failure: null, durationMs: 1 };
    for (const method of ['MKCOL', 'PURGE', 'M-SEARCH']) metrics.requestEnded({ ...request, method });
    metrics.requestEnded({ ...request, method: 'GET' });
    const methods = (await renderPage(metrics)).samples
      .filter(({ name }) => name === 'signing_http_request_duration_seconds_count')
      .map(({ labels, value }) => [labels['method'], value]);
    expect(methods).to.deep.equal([
      ['(other)', 3],
      ['GET', 1],
    ]);
  });

  it('describes every metric once, in both formats', async () => {
    const metrics = new PromMetrics({ namesCallers: true });
    const others = Object.values(READ_METRICS)
      .flat()
      .filter((metric) => !ACCOUNT_METRICS.includes(metric));
    const defined = [...ACCOUNT_METRICS, ...Object.values(COUNTED_METRICS), ...others];
    const text = readPage(await textOf(metrics));
    expect([...text.types.keys()]).to.deep.equal([...defined.map(({ name }) => name), ...PROCESS_METRICS]);
    for (const { name, type, help } of defined) {
      expect(text.types.get(name), name).to.equal(type);
      expect(text.help.get(name), name).to.equal(help);
    }
    const open = readPage(await textOf(metrics, quietState(), 'openmetrics'));
    expect(open.types.size).to.equal(text.types.size);
    const names = ({ samples }: MetricsPage) => samples.map(({ name }) => name);
    expect(names(open)).to.deep.equal(names(text));
    expect(names(await renderPage(metrics)), 'after an OpenMetrics page').to.deep.equal(names(text));
  });

  it('ignores non-finite values, for which prom-client throws', async () => {
    const metrics = new PromMetrics();
    metrics.platformsConfigured(['alpha']);
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      metrics.attemptEnded({ ...SIGNED, durationMs: none });
      metrics.recordCommitted(none, true);
      metrics.batchAccepted(none);
      metrics.requestEnded({ method: 'GET', route: null, status: 404, failure: null, durationMs: none });
    }
    const page = await renderPage(metrics);
    const counted = page.samples.filter(({ name, value }) => name.endsWith('_count') && value !== 0);
    expect(counted).to.deep.equal([]);
  });

  it('escapes label values, in both formats', async () => {
    for (const format of ['text', 'openmetrics'] as const) {
      const accounts = accountsNamed(['a "b" \\ c\nd']);
      const text = await textOf(new PromMetrics(), quietState({ core: { accounts } }), format);
      expect(text).to.include('signing_account_signatures_total{platform="alpha",account="a \\"b\\" \\\\ c\\nd"} 0\n');
    }
  });

  // OpenMetrics 1.0 (draft-ietf-opsawg-openmetrics), §4.1 and §5.3.
  it('writes OpenMetrics: counters without _total in descriptions, no empty line, and an EOF marker', async () => {
    const accounts = accountsNamed(['main']);
    const text = await textOf(new PromMetrics(), quietState({ core: { accounts } }), 'openmetrics');
    expect(text).to.match(/[^\n]\n# EOF\n$/);
    const lines = text.slice(0, -1).split('\n');
    expect(lines).not.to.include('');
    expect(lines.filter((line) => line === '# EOF')).to.have.length(1);
    const { types, samples } = readPage(text);
    const counters = [...types].filter(([, type]) => type === 'counter').map(([name]) => name);
    expect(counters).to.include.members(['signing_account_errors', 'signing_http_refusals', 'process_cpu_seconds']);
    const names = new Set(samples.map(({ name }) => name));
    for (const name of counters) {
      expect(name).not.to.match(/_total$/);
      expect(names.has(name), name).to.equal(false);
      expect(names.has(`${name}_total_total`), name).to.equal(false);
    }
    for (const name of ['signing_account_errors_total', 'signing_http_refusals_total', 'process_cpu_seconds_total']) {
      expect(names.has(name), name).to.equal(true);
    }
    expect(names.has('process_start_time_seconds')).to.equal(true);
  });

  it('reads accounts in slices, yielding between them', async () => {
    const reads: number[] = [];
    const all = accountsNamed(Array.from({ length: 1050 }, (_, index) => `account-${index}`));
    const accounts: AccountUsageList = {
      length: all.length,
      slice: (begin, end) => {
        reads.push(end - begin);
        return all.slice(begin, end);
      },
    };
    const metrics = new PromMetrics();
    const readsByTurn: number[] = [];
    let isOver = false;
    const turn = () => {
      readsByTurn.push(reads.length);
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const texts = [...(await metrics.page('text', quietState({ core: { accounts } })))];
    isOver = true;
    expect(Math.max(...reads)).to.be.at.most(100);
    expect(new Set(readsByTurn).size, 'turns with reads').to.be.at.least(6);
    for (const text of texts.slice(0, -1)) expect(text.split('\n').length).to.be.at.most(300);
    const page = readPage(texts.join(''));
    const account = { platform: 'alpha', account: 'account-1049' };
    expect(valueIn(page, 'signing_account_signatures_total', account)).to.equal(1049);
    expect(valueIn(page, 'signing_account_errors_total', account)).to.equal(1);
    expect(texts.join('').match(/^# (?:HELP|TYPE) signing_account_/gm)).to.have.length(4);
    const signatures = page.samples.filter(({ name }) => name === 'signing_account_signatures_total');
    expect(new Set(signatures.map(({ labels }) => labels['account'])).size).to.equal(1050);
    expect(signatures).to.have.length(1050);
  });
});
