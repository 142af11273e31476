import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Platform } from '../../src/domain/model/platform.ts';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import { sampleListedAccount, samplePlatform } from '../doubles/credential-builder.ts';
import { type Configured, commandOn } from '../harness/command-on.ts';

const ALPHA: Platform = samplePlatform({
  algorithms: ['ed25519'],
  payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}{account.tag}', timestamp: 'ms' },
});
const ORDERS: PolicyEntry = {
  name: 'orders',
  accounts: ['alpha/*'],
  effect: 'allow',
  when: 'signed.path == "/orders"',
};
const LARGE: PolicyEntry = { ...ORDERS, name: 'large', effect: 'deny', when: 'decimal(signed.body.size) > 10' };
const ORDER = { timestamp: 1700000000000, method: 'POST', path: '/orders', body: { size: '5', price: 0.5, count: 2 } };

describe('policy check', () => {
  let folder: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'policy-check-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const main = sampleListedAccount({ values: { tag: 'T1' } });

  function file(content: string | Uint8Array): string {
    const path = join(folder, 'data.json');
    writeFileSync(path, content);
    return path;
  }

  function run(data: object | string | Uint8Array, listing: Configured = {}, ...args: readonly string[]) {
    const content = typeof data === 'string' || data instanceof Uint8Array ? data : JSON.stringify(data);
    const ids = args.includes('--account') ? [] : ['--platform', 'alpha', '--account', 'main'];
    const configuration = { platforms: [ALPHA], accounts: [main], policies: [ORDERS, LARGE], ...listing };
    return commandOn(configuration, ['policy', 'check', ...ids, '--data', file(content), ...args]);
  }

  const decisionOf = (stdout: string) => stdout.slice(stdout.lastIndexOf('\n\n') + 2);
  const withBody = (body: unknown) => ({ ...ORDER, body });

  it('shows what the request takes of each budget, and what no budget of that size can have', async () => {
    const window = { accounts: ['alpha/main'], max: '10', windowSeconds: 60 };
    const budget = { ...window, name: 'size', sum: 'decimal(signed.body.size)' };
    const count = { ...budget, name: 'count', sum: '1', max: 3 };
    const budgets = [budget, count];
    const within = await run(ORDER, { policies: [], budgets });
    expect(within.stdout).to.match(
      /\nBudgets for alpha\/main:\nNAME +AMOUNT +MAX +SECONDS\nsize +5 +10 +60\ncount +1 +3 +60\n\nallowed: no policy covers the account\n$/,
    );
    expect(within.exitCode).to.equal(0);
    for (const [size, shown] of [
      ['11', /size +11 +10/],
      ['many', /size +cannot be evaluated, so it denies: decimal\(\) requires a number/],
      ['-1', /size +cannot be evaluated, so it denies: The sum is negative/],
    ] as const) {
      const { stdout, exitCode } = await run(withBody({ size }), { policies: [], budgets });
      expect(stdout).to.match(shown);
      expect(decisionOf(stdout)).to.equal('denied by budget size\n');
      expect(exitCode).to.equal(2);
    }
    const json = JSON.parse((await run(withBody({ size: '11' }), { policies: [], budgets }, '--json')).stdout);
    expect(json.allowed).to.equal(false);
    expect(json.budgets).to.deep.equal([
      { name: 'size', amount: '11', max: '10', windowSeconds: 60, error: null },
      { name: 'count', amount: '1', max: '3', windowSeconds: 60, error: null },
    ]);
  });

  it('shows the signed fields, the payload, each policy and the decision', async () => {
    const { stdout, exitCode } = await run(ORDER, {}, '--principal', 'bot-7');
    expect(exitCode).to.equal(0);
    expect(stdout).to.equal(
      [
        'Signed fields:',
        '  signed.timestamp  "1700000000000"',
        '  signed.method     "POST"',
        '  signed.path       "/orders"',
        '  signed.query      {}',
        '  signed.body       {"size": "5", "price": decimal("0.5"), "count": 2}',
        '',
        'Payload:',
        '  1700000000000POST/orders{"size":"5","price":0.5,"count":2}T1',
        '',
        'Policies for alpha/main, caller bot-7:',
        'NAME    EFFECT  MODE     APPLIES  RESULT',
        'orders  allow   enforce  yes      matches',
        'large   deny    enforce  yes      does not match',
        '',
        'allowed by orders',
        '',
      ].join('\n'),
    );
  });

  it('shows numbers with every digit, and no character that a terminal interprets', async () => {
    const body = '{"t":"a \\"b\\"\\u202e","i":9223372036854775807,"d":0.100000000000000000001,"l":[true,null]}';
    const { stdout } = await run(withBody(body), { policies: [] });
    expect(stdout).to.include(
      '{"t": "a \\"b\\"\\u202e", "i": 9223372036854775807, "d": decimal("0.100000000000000000001"), "l": [true, null]}',
    );
    const json = JSON.parse((await run(withBody(body), { policies: [] }, '--json')).stdout);
    expect(json.signed.body).to.deep.include({ i: 'int(9223372036854775807)', d: 'decimal(0.100000000000000000001)' });
  });

  it('shows absent fields, and conditions that cannot be evaluated', async () => {
    const { stdout, exitCode } = await run({ ...ORDER, path: '/orders;x' });
    expect(stdout).to.include('  signed.path       (absent)\n');
    expect(stdout).to.include('\nAbsent fields could not be decoded. ');
    expect(stdout).to.match(/\norders .* cannot be evaluated, so it does not match: signed\.path absent\n/);
    expect(stdout).to.match(/\nlarge .* cannot be evaluated, so it matches: signed\.body absent\n/);
    expect(decisionOf(stdout)).to.equal('denied by large\n');
    expect(exitCode).to.equal(2);
  });

  it('shows what audit mode would have denied', async () => {
    const { stdout, exitCode } = await run(withBody({ size: '11' }), {
      policies: [ORDERS, { ...LARGE, mode: 'audit' }],
    });
    expect(decisionOf(stdout)).to.equal('allowed by orders\nPolicies in audit mode that would deny it: large.\n');
    expect(exitCode).to.equal(0);
  });

  it('shows whether a policy applies to the caller, who is anonymous by default', async () => {
    const policies = [{ ...ORDERS, principals: ['bot-*'] }];
    const { stdout } = await run(ORDER, { policies });
    expect(stdout).to.include(', caller anonymous:\n');
    expect(stdout).to.match(/\norders +allow +enforce +no +does not match\n/);
    expect(decisionOf(stdout)).to.equal('denied: no allow policy matches (orders)\n');
    expect(decisionOf((await run(ORDER, { policies }, '--principal', 'bot-7')).stdout)).to.equal('allowed by orders\n');
  });

  it('allows what no policy is about, and what no deny matches', async () => {
    const none = await run(ORDER, { policies: [] });
    expect(none.stdout).to.include('  signed.path       "/orders"\n').and.include('No policy covers alpha/main.\n');
    expect(decisionOf(none.stdout)).to.equal('allowed: no policy covers the account\n');
    const denies = await run(ORDER, { policies: [LARGE] });
    expect(decisionOf(denies.stdout)).to.equal('allowed: no deny policy matches, and no allow policy is enforced\n');
  });

  it('judges all the same if the account is disabled or the caller has no permission', async () => {
    const listing = { accounts: [{ ...main, status: 'disabled' as const }], permissions: [] };
    const { stdout, exitCode } = await run(ORDER, listing, '--principal', 'bot-7');
    expect(decisionOf(stdout)).to.match(
      /^allowed by orders\nwarning: the account or its platform is disabled, .*\nwarning: no permission entry allows .*\n$/,
    );
    expect(exitCode).to.equal(0);
  });

  it('shows payloads that are no printable text as hex or as JSON', async () => {
    const action = { type: 'order', orders: [], grouping: 'na' };
    const payload = { rule: 'hyperliquid-l1', network: 'mainnet' };
    const listing = {
      platforms: [samplePlatform({ algorithms: ['hyperliquid-l1'], payload })],
      accounts: [sampleListedAccount({ algorithm: 'hyperliquid-l1' })],
    };
    const binary = await run({ action, nonce: 1700000000000 }, { ...listing, policies: [] });
    expect(binary.stdout).to.match(/\nPayload \(hex\):\n {2}[0-9a-fx]+\n/);
    expect(binary.stdout).to.include('  signed.nonce         1700000000000\n');
    const raw = {
      platforms: [samplePlatform({ algorithms: ['ed25519'], payload: { rule: 'raw' } })],
      accounts: [sampleListedAccount()],
      policies: [],
    };
    const text = await run({ text: 'a\nb' }, raw);
    expect(text.exitCode).to.equal(0);
    expect(text.stdout).to.include('\nPayload (JSON string):\n  "a\\nb"\n');
  });

  for (const [what, data, reason] of [
    ['data that the rule rejects', { ...ORDER, timestamp: 'now' }, /data\.timestamp: must be/],
    ['a duplicate key', '{"a":{"b":[{"c":1,"c":2}]}}', /data\.a\.b\[0\]\.c is a duplicate key/],
    ['a whole request', { platformId: 'okx', accountId: 'bot-7', data: ORDER }, /pass only the value of its data/],
    ['a byte order mark', '\ufeff{}', /without a byte order mark/],
    ['invalid UTF-8', Uint8Array.of(0x22, 0xff, 0x22), /not valid UTF-8/],
    ['deep nesting', `${'[{"a":'.repeat(6000)}1${'}]'.repeat(6000)}`, /nested too deeply/],
    ['more than a request may have', `"${'x'.repeat(1_048_576)}"`, /exceeds 1 MiB/],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { stdout, stderr, exitCode } = await run(data);
      expect([stdout, exitCode]).to.deep.equal(['', 2]);
      expect(stderr).to.match(reason);
    });
  }

  it('refuses an unknown platform or account, and a missing file', async () => {
    const platform = await run(ORDER, {}, '--platform', 'omega', '--account', 'main');
    expect(platform.stderr).to.match(/^error: Platform "omega" does not exist in the credentials file/);
    const account = await run(ORDER, {}, '--platform', 'alpha', '--account', 'mian');
    expect(account.stderr).to.match(/^error: Platform "alpha" has no account "mian"/);

    const missing = await run(ORDER, {}, '--data', join(folder, 'no-such-file'));
    for (const { exitCode } of [platform, account, missing]) expect(exitCode).to.equal(2);
  });
});
