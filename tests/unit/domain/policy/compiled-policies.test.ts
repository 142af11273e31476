import { expect } from 'chai';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import type { Payload } from '../../../../src/domain/model/payload.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import type {
  BudgetEntry,
  JudgedRequest,
  Policies,
  PolicyDecision,
  PolicyEntry,
} from '../../../../src/domain/model/policy.ts';
import { buildPayload } from '../../../../src/domain/payload/build-payload.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';

const NOW = '2026-11-24T10:30:00.000Z';

const OKX: Platform = {
  platformId: 'okx',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{?query}{body}', timestamp: 'ms' },
};
const BINANCE: Platform = { ...OKX, platformId: 'binance', payload: { rule: 'query', field: 'params' } };

function entry(name: string, more: Partial<PolicyEntry> = {}): PolicyEntry {
  return { name, accounts: ['okx/main'], effect: 'allow', when: 'true', ...more };
}

async function compile(...entries: readonly PolicyEntry[]): Promise<Policies> {
  const compiled = await policyCompiler().compile(entries, [OKX, BINANCE], new TimeSlice(new FixedClock(NOW)));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
  return compiled.value;
}

function request(
  more: Partial<JudgedRequest> & { readonly data?: JsonObject; readonly accountId?: string } = {},
): JudgedRequest {
  const { data, accountId = 'main', ...others } = more;
  const signed = { timestamp: 1700000000000, method: 'POST', path: '/orders', body: { size: '5' }, ...data };
  const built = buildPayload(signed, OKX.payload, payloadContext());
  if (!built.ok) throw new Error(built.refusal.message);
  const account = { platformId: 'okx', accountId, environment: 'production' } as Account;
  return {
    platform: OKX,
    rule: OKX.payload,
    account,
    payload: built.value,
    principal: 'bot-7',
    now: Date.parse(NOW),
    ...others,
  };
}

const ORDER = 'signed.path == "/orders"';
const SMALL = 'decimal(signed.body.size) <= 10';
const ALLOWED = { isAllowed: true, effect: 'allow', wouldDeny: [] };
const NOT_ALLOWED = { isAllowed: false, effect: 'allow', wouldDeny: [] };
const UNDECIDED: PolicyDecision = { isAllowed: true, effect: null, policies: [], wouldDeny: [] };

describe('Policies', () => {
  it('a matching deny wins over a matching allow, wherever it stands', async () => {
    for (const entries of [
      [entry('all'), entry('no-orders', { effect: 'deny', when: ORDER })],
      [entry('no-orders', { effect: 'deny', when: ORDER }), entry('all')],
    ]) {
      const policies = await compile(...entries);
      const denied = { isAllowed: false, effect: 'deny', policies: ['no-orders'], wouldDeny: [] };
      expect(policies.decide(request())).to.deep.equal(denied);
      expect(policies.decide(request({ data: { path: '/other' } }))).to.deep.equal({ ...ALLOWED, policies: ['all'] });
    }
  });

  it('what cannot be read counts against the request', async () => {
    const policies = await compile(entry('orders', { when: ORDER }), entry('small', { effect: 'deny', when: SMALL }));
    const unreadable = { content: { kind: 'hyperliquid' } } as unknown as Payload;
    const judged = request({ rule: { rule: 'hyperliquid-l1', network: 'mainnet' }, payload: unreadable });
    expect(policies.decide(judged)).to.deep.equal({
      isAllowed: false,
      effect: 'deny',
      policies: ['small'],
      wouldDeny: [],
    });
    expect(policies.explain(judged).results.map(({ error }) => error)).to.deep.equal([
      'signed.path absent',
      'signed.body absent',
    ]);
  });

  it('an account with denies alone signs what none of them matches', async () => {
    const policies = await compile(entry('no-orders', { effect: 'deny', when: ORDER }));
    expect(policies.decide(request({ data: { path: '/other' } }))).to.deep.equal(UNDECIDED);
  });

  it('a condition that cannot be decided counts against the request', async () => {
    const undecidable = request({ data: { body: { size: 'many' } } });
    const [deny, allow] = [
      await compile(entry('large', { effect: 'deny', when: `!(${SMALL})` })),
      await compile(entry('small', { when: SMALL })),
    ];
    expect(deny.decide(undecidable)).to.deep.equal({
      isAllowed: false,
      effect: 'deny',
      policies: ['large'],
      wouldDeny: [],
    });
    expect(allow.decide(undecidable)).to.deep.equal({ ...NOT_ALLOWED, policies: ['small'] });
    expect(deny.decide(request())).to.deep.equal(UNDECIDED);
  });

  it('a repeated parameter shows none of its values, to an allow or a deny', async () => {
    const when = 'signed.params.asset == "BTC"';
    const accounts = ['binance/main'];
    const allow = await compile(entry('btc', { accounts, when }));
    const deny = await compile(entry('no-btc', { accounts, effect: 'deny', when }));
    const judge = (asset: JsonValue) => {
      const built = buildPayload({ params: { asset, timestamp: 5 } }, BINANCE.payload, payloadContext());
      if (!built.ok) throw new Error(`${built.refusal.path} ${built.refusal.message}`);
      const judged = request({ platform: BINANCE, rule: BINANCE.payload, payload: built.value });
      return { ...judged, account: { ...judged.account, platformId: 'binance' } };
    };
    for (const assets of [
      ['BTC', 'USDT'],
      ['USDT', 'BTC'],
      ['USDT', 'EUR'],
      ['BTC', 'BTC'],
    ]) {
      expect(allow.decide(judge(assets)).isAllowed, `allow ${assets}`).to.equal(false);
      expect(deny.decide(judge(assets)).isAllowed, `deny ${assets}`).to.equal(false);
    }
    expect([allow.decide(judge(['BTC'])).isAllowed, deny.decide(judge(['USDT'])).isAllowed]).to.deep.equal([
      true,
      true,
    ]);
  });

  it('principals: a policy is about the callers it names; anonymous is none of *', async () => {
    const policies = await compile(
      entry('bots', { principals: ['bot-*'], when: ORDER }),
      entry('nobody', { principals: ['anonymous'], effect: 'deny' }),
    );
    expect(policies.decide(request()).isAllowed).to.equal(true);
    expect(policies.decide(request({ principal: 'desk-1' }))).to.deep.equal({ ...NOT_ALLOWED, policies: ['bots'] });
    expect(policies.decide(request({ principal: null }))).to.deep.include({ isAllowed: false, policies: ['nobody'] });
    const all = await compile(entry('all', { principals: ['*'] }));
    expect(all.decide(request()).isAllowed).to.equal(true);
    expect(all.decide(request({ principal: null })).isAllowed).to.equal(false);
  });

  it('see the rule of the request, and only what that rule signs', async () => {
    const login = { rule: 'prehash', template: '{timestamp}GET/verify', timestamp: 's' } as const;
    const platform = { ...OKX, rules: { login } };
    const when = 'rule == "login" || rule == "default" && signed.path == "/orders"';
    const compile = (condition: string) =>
      policyCompiler().compile([entry('a', { when: condition })], [platform], new TimeSlice(new FixedClock(NOW)));
    const [either, pathAlone] = [await compile(when), await compile(ORDER)];
    if (!either.ok || !pathAlone.ok) throw new Error('does not compile');
    const built = buildPayload({ timestamp: 1700000000 }, login, payloadContext());
    if (!built.ok) throw new Error(built.refusal.message);
    const loggingIn = request({ platform, rule: login, ruleName: 'login', payload: built.value });
    expect(either.value.decide(loggingIn).isAllowed).to.equal(true);
    expect(either.value.decide(request({ platform })).isAllowed).to.equal(true);
    expect(pathAlone.value.decide(loggingIn).isAllowed).to.equal(false);
  });

  it('mode audit lets requests pass, and names the policies that would have denied', async () => {
    const policies = await compile(
      entry('orders', { when: ORDER }),
      entry('no-large', { effect: 'deny', when: `!(${SMALL})`, mode: 'audit' }),
      entry('small', { when: SMALL, mode: 'audit' }),
    );
    const large = request({ data: { body: { size: '11' } } });
    expect(policies.decide(large)).to.deep.equal({ ...ALLOWED, policies: ['orders'], wouldDeny: ['no-large'] });
  });

  it('mode audit: an allow alone names itself where none matches', async () => {
    const policies = await compile(entry('orders', { when: ORDER, mode: 'audit' }));
    expect(policies.decide(request())).to.deep.equal(UNDECIDED);
    expect(policies.decide(request({ data: { path: '/other' } }))).to.deep.equal({
      ...UNDECIDED,
      wouldDeny: ['orders'],
    });
  });
});

describe('Budgets', () => {
  const budget = (name: string, more: Partial<BudgetEntry> = {}): BudgetEntry => {
    return { name, accounts: ['okx/main'], sum: 'decimal(signed.body.size)', max: '10', windowSeconds: 60, ...more };
  };
  async function compileBudgets(budgets: readonly BudgetEntry[], entries: readonly PolicyEntry[] = []) {
    const slice = new TimeSlice(new FixedClock(NOW));
    const compiled = await policyCompiler().compile(entries, [OKX, BINANCE], slice, budgets);
    if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
    return compiled.value;
  }
  const amounts = (policies: Policies, judged = request()) =>
    policies.decide(judged).amounts?.map(({ budget: { name }, amount, error }) => [name, amount?.text ?? error]);

  it('compute what an allowed request takes of each budget of its account', async () => {
    const policies = await compileBudgets([budget('size'), budget('count', { accounts: ['okx/*'], sum: '1' })]);
    expect(amounts(policies)).to.deep.equal([
      ['size', '5'],
      ['count', '1'],
    ]);
    expect(amounts(policies, request({ accountId: 'other' }))).to.deep.equal([['count', '1']]);
    expect(policies.decide(request({ accountId: 'other' })).isAllowed).to.equal(true);
    expect(policies.budgets.map(({ name }) => name)).to.deep.equal(['size', 'count']);
    expect(policies.entries).to.deep.equal([]);
  });

  it('compute nothing for a denied request and for an account without budgets', async () => {
    const policies = await compileBudgets([budget('size')], [entry('none', { effect: 'deny' })]);
    expect(policies.decide(request())).not.to.have.property('amounts');
    const other = await compileBudgets([budget('size', { accounts: ['okx/other'] })]);
    expect(other.decide(request())).to.deep.equal(UNDECIDED);
  });

  it('have no amount where the sum is negative or cannot be decided', async () => {
    const negative = await compileBudgets([budget('size', { sum: 'decimal(signed.body.size) - 6' })]);
    expect(amounts(negative)).to.deep.equal([['size', 'The sum is negative']]);
    const policies = await compileBudgets([budget('size')]);
    for (const body of ['{"size":"5","Size":"50"}', '{"Size":"5"}', '{}', '{"size":"many"}']) {
      const [only] = policies.decide(request({ data: { body } })).amounts ?? [];
      expect(only?.amount, body).to.equal(null);
      expect(only?.error, body).to.be.a('string');
    }
  });
});

describe('PolicyCompiler', () => {
  it('reports a policy that fails for many platforms once, and at most 20 policies', async () => {
    const platforms = Array.from({ length: 50 }, (_, nth) => ({ ...OKX, platformId: `okx${nth}` }));
    const wrong = (name: string) => entry(name, { accounts: ['*/*'], when: '1 +' });
    const compile = async (...entries: readonly PolicyEntry[]) => {
      const compiled = await policyCompiler().compile(entries, platforms, new TimeSlice(new FixedClock(NOW)));
      return compiled.ok ? [] : compiled.refusal;
    };
    const [issue, ...others] = await compile(wrong('orders'));
    expect(others).to.deep.equal([]);
    expect(issue?.path).to.equal('policies[0].when');
    expect(issue?.message).to.match(
      /^\(orders, for 50 of 50 platforms: okx0, okx1, okx2 and 47 more\) does not compile/,
    );
    const many = await compile(...Array.from({ length: 50 }, (_, nth) => wrong(`p${nth}`)));
    expect(many).to.have.length(21);
    expect(many.at(-1)).to.deep.equal({ path: '', message: 'and 30 more issues' });
  });

  const issuesOf = async (...entries: readonly PolicyEntry[]) => {
    const compiled = await policyCompiler().compile(entries, [OKX, BINANCE], new TimeSlice(new FixedClock(NOW)));
    return compiled.ok ? [] : compiled.refusal;
  };

  it('loads no language for a configuration without policies', async () => {
    const { PolicyCompiler } = await import('../../../../src/domain/services/policy-compiler.ts');
    const compiler = new PolicyCompiler(() => Promise.reject(new Error('loaded')));
    const compiled = await compiler.compile([], [OKX], new TimeSlice(new FixedClock(NOW)));
    expect(compiled.ok && compiled.value.entries).to.deep.equal([]);
  });

  it('checks a policy for the platforms of its accounts alone', async () => {
    expect(await issuesOf(entry('orders', { accounts: ['okx/*', 'ok*/b'], when: ORDER }))).to.deep.equal([]);
    expect(await issuesOf(entry('orders', { accounts: ['bin*/a'], when: ORDER }))).to.have.length(1);
  });

  it('checks a policy for any platform where its accounts are of none', async () => {
    const accounts = ['kraken/*'];
    expect(await issuesOf(entry('a', { accounts, when: `${ORDER} && signed.instruction == "x"` }))).to.deep.equal([]);
    for (const when of ['signed.', 'signed.pth == "/"', 'signed.path.matches("a")', '1']) {
      const [issue] = await issuesOf(entry('a', { accounts, when }));
      expect(issue?.path, when).to.equal('policies[0].when');
      expect(issue?.message, when).to.match(/^\(a\) /);
    }
  });
});
