import { expect } from 'chai';
import { PromMetrics } from '../../../../src/adapters/observability/prom-metrics.ts';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import { type Attempt, beginAttempt } from '../../../../src/domain/model/attempt.ts';
import { ACCOUNT_REFUSALS, accepted, type Refusal, refuse, refused } from '../../../../src/domain/model/refusal.ts';
import type { VerifiedResult } from '../../../../src/domain/model/sign-request.ts';
import type { MetricsFormat, ReadMetric } from '../../../../src/ports/metrics.ts';
import { sampleListedAccount, samplePlatform } from '../../../doubles/credential-builder.ts';
import { type MetricsPage, readPage, valueIn } from '../../../metrics/read-page.ts';
import { CONTEXT, REQUEST } from '../../domain/services/signing-workbench.ts';

const SIGNED = { valid: true } as VerifiedResult;

/** What differs from a signature for an unauthenticated caller. */
interface Ended extends Partial<Pick<Attempt, 'operation' | 'budgets' | 'decision'>> {
  /** Null: unknown. */
  readonly platformId?: string | null;
  readonly algorithm?: Algorithm | null;
  readonly principal?: string | null;
  readonly refusal?: Refusal;
  readonly durationMs?: number;
}

function end(metrics: PromMetrics, ended: Ended = {}): void {
  const { platformId = 'alpha', algorithm = 'ed25519', principal = null, refusal, durationMs = 1.5 } = ended;
  const { operation = 'sign', budgets = [], decision = null } = ended;
  const attempt = beginAttempt(operation, REQUEST, { ...CONTEXT, principal }, 0);
  const account = algorithm === null ? null : { ...sampleListedAccount({ algorithm }), key: { id: 1 } };
  const outcome = refusal === undefined ? accepted(SIGNED) : refused(refusal);
  const platform = platformId === null ? null : samplePlatform({ platformId });
  metrics.attemptEnded({ ...attempt, platform, account: account as never, budgets, decision, outcome }, durationMs);
}

type Read = readonly ReadMetric[];

async function textOf(metrics: PromMetrics, read: Read = [], format: MetricsFormat = 'text'): Promise<string> {
  return [...(await metrics.page(format, read))].join('');
}

async function renderPage(metrics: PromMetrics, read?: Read): Promise<MetricsPage> {
  return readPage(await textOf(metrics, read));
}

/** A large counter with these accounts and their index as the value. */
function byAccount(names: readonly string[], onRead: () => void = () => undefined): Read {
  function* samples() {
    for (const [value, account] of names.entries()) {
      onRead();
      yield { labels: { account }, value };
    }
  }
  const definition = { name: 'accounts_total', type: 'counter', help: 'By account.', labels: ['account'] } as const;
  return [{ ...definition, samples: samples(), isLarge: true }];
}

interface Configured {
  readonly platforms?: readonly string[];
  readonly policies?: readonly string[];
  readonly budgets?: readonly string[];
  /** Default: no permissions list. */
  readonly principals?: readonly string[] | null;
}

function configure(
  metrics: PromMetrics,
  { platforms = [], policies = [], budgets = [], principals = null }: Configured,
) {
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  metrics.configured({
    platformIds: platforms,
    policies: { entries: named(policies), budgets: named(budgets) },
    permissions: { entries: principals && [{ principals, operations: ['sign'], accounts: ['*/*'] }] },
  });
}

describe('The counts of PromMetrics', () => {
  let metrics: PromMetrics;
  beforeEach(() => {
    metrics = new PromMetrics({ namesCallers: true });
    configure(metrics, { platforms: ['alpha', 'beta'] });
  });

  /** Labels and values of a metric, without those that are 0. */
  const counts = async (metric: string): Promise<readonly (readonly [object, number])[]> =>
    (await renderPage(metrics)).samples
      .filter(({ name, value }) => name === metric && value > 0)
      .map(({ labels, value }) => [labels, value] as const);
  const attempts = () => counts('signing_attempt_duration_seconds_count');
  const callers = async () => [
    ...(await counts('signing_caller_signatures_total')),
    ...(await counts('signing_caller_errors_total')),
  ];
  const allow = (...principals: readonly string[]) => configure(metrics, { principals });
  const deny = (principal: string | null, name: 'PermissionDenied' | 'PolicyDenied') =>
    end(metrics, { principal, refusal: refuse(name, ACCOUNT_REFUSALS[name].example as never) });

  it('are by operation, platform, algorithm and outcome', async () => {
    const like = { operation: 'sign', platform: 'alpha', algorithm: 'ed25519', outcome: 'success' };
    end(metrics);
    end(metrics);
    end(metrics, { operation: 'verify' });
    end(metrics, { platformId: 'beta', algorithm: 'eip191' });
    end(metrics, { refusal: refuse('SignatureFailed', { platformId: 'alpha', accountId: 'main' }) });
    const refusal = refuse('PlatformNotSupported', { platformId: 'omega' });
    end(metrics, { platformId: null, algorithm: null, refusal });
    expect(await attempts()).to.have.deep.members([
      [like, 2],
      [{ ...like, operation: 'verify' }, 1],
      [{ ...like, platform: 'beta', algorithm: 'eip191' }, 1],
      [{ ...like, outcome: 'failed' }, 1],
      [{ operation: 'sign', platform: '(none)', algorithm: '(none)', outcome: 'refused' }, 1],
    ]);
  });

  it('have no series for platforms that callers make up, and drop those of one that is gone', async () => {
    const platforms = async () => (await attempts()).map(([labels]) => Reflect.get(labels, 'platform'));
    end(metrics, { platformId: 'made-up' });
    end(metrics);
    end(metrics, { platformId: 'beta' });
    expect((await renderPage(metrics)).samples.map(({ labels }) => labels['platform'])).to.not.include('made-up');
    configure(metrics, { platforms: ['beta', 'gamma'] });
    expect(await platforms())
      .to.include('beta')
      .and.not.include('alpha');
    configure(metrics, { platforms: ['alpha', 'beta'] });
    expect(await platforms()).to.not.include('alpha');
    end(metrics);
    expect(await platforms()).to.include('alpha');
  });

  it('are by caller for attempts to sign, with errors by code', async () => {
    allow('desk-7', 'desk-8');
    for (const principal of ['desk-7', 'desk-7', 'desk-8']) end(metrics, { principal });
    end(metrics, { operation: 'verify', principal: 'desk-7' });
    end(metrics, { operation: 'dry-run', principal: 'desk-7' });
    for (const name of ['PermissionDenied', 'PolicyDenied', 'PermissionDenied'] as const) deny('desk-7', name);
    expect(await callers()).to.have.deep.members([
      [{ caller: 'desk-7' }, 2],
      [{ caller: 'desk-8' }, 1],
      [{ caller: 'desk-7', code: 'FORBIDDEN' }, 2],
      [{ caller: 'desk-7', code: 'POLICY_DENIED' }, 1],
    ]);
  });

  it('name a caller by the longest listed pattern, others together, and anonymous ones', async () => {
    allow('*-1', 'bot-*', 'bot-1');
    for (const principal of ['bot-1', 'bot-2', 'bot-3', 'desk-1', 'desk-2', 'desk-3', null]) {
      end(metrics, { principal });
    }
    expect(await callers()).to.have.deep.members([
      [{ caller: 'bot-1' }, 1],
      [{ caller: 'bot-*' }, 2],
      [{ caller: '*-1' }, 1],
      [{ caller: '(other)' }, 2],
      [{ caller: 'anonymous' }, 1],
    ]);
  });

  it('name nobody without a permissions list, or for names that callers make up', async () => {
    configure(metrics, {});
    for (let index = 0; index < 2000; index += 1) deny(`made-up-${index}`, 'PermissionDenied');
    deny(null, 'PermissionDenied');
    expect(await callers()).to.have.deep.members([
      [{ caller: '(other)', code: 'FORBIDDEN' }, 2000],
      [{ caller: 'anonymous', code: 'FORBIDDEN' }, 1],
    ]);
  });

  it('drop only those of callers that are no longer listed', async () => {
    allow('desk-7', 'bot-*');
    for (const principal of ['desk-7', 'bot-1', 'desk-9']) end(metrics, { principal });
    deny('bot-1', 'PolicyDenied');
    for (const principal of ['bot-1', 'bot-*']) {
      allow('desk-7', principal);
      expect(await callers()).to.have.deep.members([
        [{ caller: 'desk-7' }, 1],
        [{ caller: '(other)' }, 1],
      ]);
    }
  });

  it('are of batch items, of records by outcome, and of requests by route and status', async () => {
    for (const items of [1, 20, 10_000]) metrics.batchAccepted(items);
    metrics.recordCommitted(0.8, true);
    metrics.recordCommitted(3, true);
    metrics.recordCommitted(2000, false);
    const request = { method: 'POST', route: '/api/v1/sign', status: 200, failure: null, durationMs: 2 };
    metrics.requestEnded(request);
    metrics.requestEnded({ ...request, status: 429, failure: { code: 'RATE_LIMITED', reason: 'caller' } });
    metrics.requestEnded({ ...request, route: null, status: 404 });
    metrics.requestEnded({ ...request, status: null });
    const page = await renderPage(metrics);
    expect(valueIn(page, 'signing_batch_items_sum')).to.equal(10_021);
    for (const [outcome, count] of [
      ['durable', 2],
      ['failed', 1],
    ] as const) {
      expect(valueIn(page, 'signing_audit_commit_duration_seconds_count', { outcome })).to.equal(count);
    }
    for (const [route, status] of [
      ['/api/v1/sign', '200'],
      ['/api/v1/sign', '429'],
      ['(none)', '404'],
      ['/api/v1/sign', '(none)'],
    ] as const) {
      expect(valueIn(page, 'signing_http_request_duration_seconds_count', { route, status })).to.equal(1);
    }
  });
});

describe('PromMetrics', () => {
  it('counts by caller only if that is configured', async () => {
    const metrics = new PromMetrics();
    configure(metrics, { principals: ['desk-7'] });
    end(metrics, { principal: 'desk-7' });
    expect(await textOf(metrics)).not.to.match(/desk-7|signing_caller_/);
  });

  it('counts refusals by configured budget, and drops those of budgets that are gone', async () => {
    const metrics = new PromMetrics();
    const refusal = refuse('BudgetExceeded', ACCOUNT_REFUSALS.BudgetExceeded.example);
    configure(metrics, { budgets: ['daily', 'count'] });
    end(metrics, { refusal, budgets: ['daily', 'unknown'] });
    expect(await textOf(metrics)).to.match(/signing_budget_refusals_total\{budget="daily"\} 1\n.*budget="count"\} 0\n/);
    end(metrics, { operation: 'dry-run', budgets: ['daily'] });
    expect(await textOf(metrics))
      .to.include('signing_budget_refusals_total{budget="daily"} 1\n')
      .and.not.include('unknown');
    configure(metrics, { budgets: ['count'] });
    expect(await textOf(metrics)).not.to.include('budget="daily"');
  });

  it('counts what policies decided on signatures, and not on dry runs', async () => {
    const metrics = new PromMetrics();
    configure(metrics, { policies: ['orders'] });
    const decision = { isAllowed: true, effect: 'allow', policies: ['orders'], wouldDeny: [] } as const;
    end(metrics, { decision });
    end(metrics, { decision, operation: 'dry-run' });
    const labels = { policy: 'orders', decision: 'allowed' };
    expect(valueIn(await renderPage(metrics), 'signing_policy_decisions_total', labels)).to.equal(1);
  });

  it('observes durations in seconds, in inclusive buckets', async () => {
    const metrics = new PromMetrics();
    configure(metrics, { platforms: ['alpha'] });
    for (const durationMs of [1.5, 30, 9000]) end(metrics, { durationMs });
    const page = await renderPage(metrics);
    const upTo = (le: string) => valueIn(page, 'signing_attempt_duration_seconds_bucket', { le });
    expect([upTo('0.001'), upTo('0.0025'), upTo('0.05'), upTo('2.5'), upTo('+Inf')]).to.deep.equal([0, 1, 2, 2, 3]);
    expect(valueIn(page, 'signing_attempt_duration_seconds_sum')).to.be.closeTo(9.0315, 1e-9);
  });

  it('initialises error counters to 0, so that the first error is an increase', async () => {
    const metrics = new PromMetrics();
    configure(metrics, { platforms: ['alpha'] });
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

  it('escapes label values, in both formats', async () => {
    for (const format of ['text', 'openmetrics'] as const) {
      const text = await textOf(new PromMetrics(), byAccount(['a "b" \\ c\nd']), format);
      expect(text).to.include('accounts_total{account="a \\"b\\" \\\\ c\\nd"} 0\n');
    }
  });

  // OpenMetrics 1.0 (draft-ietf-opsawg-openmetrics), §4.1 and §5.3.
  it('writes OpenMetrics: counters without _total in descriptions, no empty line, and an EOF marker', async () => {
    const text = await textOf(new PromMetrics(), byAccount(['main']), 'openmetrics');
    expect(text).to.match(/[^\n]\n# EOF\n$/);
    const lines = text.slice(0, -1).split('\n');
    expect(lines).not.to.include('');
    expect(lines.filter((line) => line === '# EOF')).to.have.length(1);
    const { types, samples } = readPage(text);
    const counters = [...types].filter(([, type]) => type === 'counter').map(([name]) => name);
    expect(counters).to.include.members(['accounts', 'signing_http_refusals', 'process_cpu_seconds']);
    const names = new Set(samples.map(({ name }) => name));
    for (const name of counters) {
      expect(name).not.to.match(/_total$/);
      expect(names.has(name), name).to.equal(false);
      expect(names.has(`${name}_total_total`), name).to.equal(false);
    }
    for (const name of ['accounts_total', 'signing_http_refusals_total', 'process_cpu_seconds_total']) {
      expect(names.has(name), name).to.equal(true);
    }
    expect(names.has('process_start_time_seconds')).to.equal(true);
  });

  it('reads many samples in slices, yielding between them', async () => {
    const names = Array.from({ length: 1050 }, (_, index) => `account-${index}`);
    let reads = 0;
    const readsByTurn: number[] = [];
    let isOver = false;
    const turn = () => {
      readsByTurn.push(reads);
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const texts = [
      ...(await new PromMetrics().page(
        'text',
        byAccount(names, () => (reads += 1)),
      )),
    ];
    isOver = true;
    expect(new Set(readsByTurn).size, 'turns with reads').to.be.at.least(4);
    for (const text of texts.slice(0, -1)) expect(text.split('\n').length).to.be.at.most(300);
    const page = readPage(texts.join(''));
    expect(texts.join('').match(/^# (?:HELP|TYPE) accounts_total/gm)).to.have.length(2);
    const series = page.samples.filter(({ name }) => name === 'accounts_total');
    expect(series.map(({ labels, value }) => [labels['account'], value])).to.deep.equal(
      names.map((name, index) => [name, index]),
    );
  });
});
