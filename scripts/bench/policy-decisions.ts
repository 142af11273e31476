import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import { CelPolicyLanguage } from '../../src/adapters/policy/cel-policy-language.ts';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import type { Account } from '../../src/domain/model/account.ts';
import { NO_POLICIES, type Policies, type PolicyEntry } from '../../src/domain/model/policy.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { OKX } from '../../src/domain/presets/okx.ts';
import { toPolicyEntry } from '../../src/domain/presets/policies/venue-policies.ts';
import { PolicyCompiler } from '../../src/domain/services/policy-compiler.ts';
import { payloadContext } from '../../tests/doubles/payload-context.ts';
import { median } from '../proof/statistics.ts';

const ROUNDS = 9;
const DECISIONS = 20_000;

const FIVE_TERMS =
  'signed.method == "POST" && signed.path == "/api/v5/trade/order" && signed.body.instId.endsWith("-USDT") && decimal(signed.body.sz) <= 10 && principal == "bot-7"';

const platform = { platformId: 'okx', ...OKX.platform };
const account = { platformId: 'okx', accountId: 'main', environment: 'production' } as Account;

const built = buildPayload(
  {
    timestamp: '2026-11-20T08:49:00.123Z',
    method: 'POST',
    path: '/api/v5/trade/order',
    body: { instId: 'BTC-USDT', tdMode: 'cash', clOrdId: 'b15', side: 'buy', ordType: 'limit', px: '2.15', sz: '2' },
  },
  platform.payload,
  payloadContext(),
);
if (!built.ok) throw new Error(built.refusal.message);
const request = { platform, account, rule: platform.payload, payload: built.value, principal: 'bot-7', now: 0 };

function policy(name: string, when: string): PolicyEntry {
  return { name, accounts: ['okx/*'], effect: 'allow', when };
}

async function compile(...entries: readonly (PolicyEntry | undefined)[]): Promise<Policies> {
  const compiler = new PolicyCompiler(async () => new CelPolicyLanguage());
  const present = entries.filter((entry) => entry !== undefined);
  const compiled = await compiler.compile(present, [platform], new TimeSlice(new SystemClock()));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
  return compiled.value;
}

/**
 * Cost of policies: median microseconds a decision on an order of OKX, decoding included, by what
 * policies the account has. A few seconds.
 */
export async function measurePolicyDecisions(): Promise<ReadonlyMap<string, number>> {
  const rules = Object.keys(platform.rules ?? {});
  const never = Array.from({ length: 9 }, (_, index) => policy(`never-${index}`, FIVE_TERMS.replace('bot-7', 'other')));
  const cases: readonly (readonly [string, Policies])[] = [
    ['no policies', NO_POLICIES],
    ['one policy of five terms', await compile(policy('five-terms', FIVE_TERMS))],
    ['trade-only of okx', await compile(toPolicyEntry('okx', 'trade-only', 'okx', rules))],
    ['no-withdrawals of okx', await compile(toPolicyEntry('okx', 'no-withdrawals', 'okx', rules))],
    ['ten policies of five terms, the last one allows', await compile(...never, policy('five-terms', FIVE_TERMS))],
  ];
  const times = new Map(cases.map(([name]) => [name, [] as number[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, policies] of cases) {
      const from = process.hrtime.bigint();
      for (let nth = 0; nth < DECISIONS; nth += 1) {
        if (!policies.decide(request).isAllowed) throw new Error(`${name} denied the order.`);
      }
      // The first round warms up.
      if (round > 0) times.get(name)?.push(Number(process.hrtime.bigint() - from) / DECISIONS / 1000);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}
