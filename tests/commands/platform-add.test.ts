import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { commandOn } from '../harness/command-on.ts';
import { presetOf } from '../harness/venue-vectors.ts';

const run = (...args: readonly string[]) => commandOn({}, ['platform', 'add', ...args]);

/** The added platform. */
async function added(...args: readonly string[]) {
  const { after, stderr } = await run(...args);
  expect(stderr).to.equal('');
  return after.platforms[0];
}

async function refusal(...args: readonly string[]) {
  const { after, exitCode, stderr } = await run(...args);
  expect([after.platforms, exitCode], args.join(' ')).to.deep.equal([[], 2]);
  return stderr;
}

describe('platform add', () => {
  it('adds the platform of each preset under its name', async () => {
    for (const { name, platform } of listPresets()) {
      expect(await added('--preset', name), name).to.deep.equal({ platformId: name, ...platform });
    }
  });

  it('lets options override the preset', async () => {
    const preset = { platformId: 'okx', format: 'any', algorithms: ['hmac-sha256'], encoding: 'base64' };
    const { payload, rules, send } = (await added('--preset', 'okx')) ?? {};
    const overrides: readonly (readonly [readonly string[], object])[] = [
      [['--encoding', '0x-hex'], { payload, rules, send, encoding: '0x-hex', secretDecoding: 'utf8' }],
      [['--algorithm', 'ed25519'], { payload, rules, send, algorithms: ['ed25519'] }],
      [['--rule', 'raw'], { payload: { rule: 'raw' }, secretDecoding: 'utf8' }],
      [['--format', 'D'], { payload, rules, send, format: 'D', secretDecoding: 'utf8' }],
      [['--verify-mac'], { payload, rules, send, verify: { mac: true }, secretDecoding: 'utf8' }],
      [['--audit-clear', 'path'], { payload, rules, send, audit: { clear: ['path'] }, secretDecoding: 'utf8' }],
    ];
    for (const [args, difference] of overrides) {
      expect(await added('--preset', 'okx', ...args)).to.deep.equal({ ...preset, ...difference });
    }
  });

  it('adds named rules to those of a preset, and replaces the one of the same name', async () => {
    const { rules } = (await added('--preset', 'okx')) ?? {};
    expect(rules).to.have.all.keys('login');
    const raw = { rule: 'raw' };
    const replaced = await added('--preset', 'okx', '--add-rule', 'login={"rule":"raw"}');
    expect(replaced?.rules).to.deep.equal({ login: raw });
    const alone = await added('--preset', 'okx', '--rule', 'raw', '--add-rule', 'fix={"rule":"raw"}');
    expect(alone?.rules).to.deep.equal({ fix: raw });
  });

  it('adds the ready-made policies of a preset for all accounts of the platform', async () => {
    const options = ['--preset', 'okx', '--platform', 'OKX.desk', '--policy', 'trade-only', 'no-withdrawals'];
    const {
      after: { policies },
      stdout,
    } = await run(...options);
    expect(policies.map(({ when, ...policy }) => policy)).to.deep.equal([
      { name: 'okx-desk-trade-only', accounts: ['OKX.desk/*'], effect: 'allow' },
      { name: 'okx-desk-no-withdrawals', accounts: ['OKX.desk/*'], effect: 'deny' },
    ]);
    expect(policies[0]?.when).to.include('rule == "login"');
    expect(stdout).to.include('Policy okx-desk-trade-only added: its accounts sign only what');
  });

  it('refuses a platform that an existing policy cannot be decided on', async () => {
    const policy = { name: 'orders', accounts: ['*/*'], effect: 'allow', when: 'signed.path == "/orders"' } as const;
    const { after, stderr } = await commandOn({ policies: [policy] }, ['platform', 'add', '--preset', 'binance']);
    expect(after.platforms).to.deep.equal([]);
    expect(stderr).to.match(
      /Nothing was changed: policies\[0\]\.when \(orders, for platform binance\).*does not cover/,
    );
  });

  it('names the ready-made policies of the preset if none is added', async () => {
    const { stdout } = await run('--preset', 'kraken', '--platform', 'desk');
    expect(stdout).to.include('policy add --platform desk --preset kraken --policy trade-only');
    expect((await run('--preset', 'binance')).stdout).not.to.include('policy add');
    expect((await run('--preset', 'kraken', '--policy', 'trade-only')).stdout).not.to.include('policy add');
  });

  it("leaves out the preset's named rules with a rule of its own", async () => {
    expect(await added('--preset', 'hyperliquid', '--rule', 'hyperliquid-l1')).to.not.have.property('rules');
  });

  const LOGIN = '{"rule":"prehash","template":"{timestamp}GET/verify","timestamp":"s"}';

  it('adds named rules, each option one, and names them', async () => {
    const args = ['--platform', 'desk', '--format', 'D', '--algorithm', 'hmac-sha256'];
    const rules = ['--add-rule', `login=${LOGIN}`, '--add-rule', 'fix={"rule":"query","encoding":"base64"}'];
    expect(await added(...args, ...rules)).to.deep.equal({
      platformId: 'desk',
      format: 'D',
      algorithms: ['hmac-sha256'],
      payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
      rules: { login: JSON.parse(LOGIN), fix: { rule: 'query', field: 'params', encoding: 'base64' } },
    });
    expect((await run(...args, ...rules)).stdout).to.include(
      'format D, rule prehash, named rules login, fix, algorithms hmac-sha256.\n',
    );
  });

  it('rejects a named rule without a proper name or rule, and a name that is given twice', async () => {
    const named =
      'It must be NAME=JSON, with a name of 1 to 32 a-z, 0-9 or - beginning with a letter, other than default.';
    for (const text of [LOGIN, `Login=${LOGIN}`, `default=${LOGIN}`, `__proto__=${LOGIN}`]) {
      expect(await refusal('--preset', 'kraken', '--add-rule', text)).to.include(named);
    }
    for (const text of ['login={}', 'login={"rule":"rwa"}', 'login=raw']) {
      expect(await refusal('--preset', 'kraken', '--add-rule', text)).to.include('its rule is one of jcs');
    }
    const twice = ['--add-rule', `login=${LOGIN}`, '--add-rule', 'login={"rule":"raw"}'];
    expect(await refusal('--preset', 'kraken', ...twice)).to.include('Duplicate name: login.');
    expect(await refusal('--preset', 'kraken', '--add-rule', 'a={"rule":"raw","rule":"jcs"}')).to.include(
      'Duplicate key: "rule".',
    );
  });

  it('warns of a named rule that signs typed data for every contract or with another algorithm', async () => {
    const { stdout } = await run(
      ...['--platform', 'wallet', '--format', 'any', '--rule', 'hyperliquid-l1'],
      ...['--add-rule', 'user={"rule":"typed-data","algorithm":"eip712"}'],
    );
    expect(stdout)
      .to.include(
        `pin the domain with --add-rule user='{"rule":"typed-data","domain":{…}}', or set rules.user.domain in`,
      )
      .and.include(
        'rule user signs eip712, and every caller that may sign with an account of this platform may use it: ' +
          'one key then serves hyperliquid-l1 and eip712;',
      );
  });

  it('names the next steps after a preset: the key file, the command, what callers post', async () => {
    const bybit = await run('--preset', 'bybit', '--platform', 'bybit-2');
    for (const text of [
      'credentials.json: format any, rule prehash, named rules login, algorithms hmac-sha256.\n',
      'the API secret, exactly as Bybit shows it\n',
      '  signing-service account add --platform bybit-2 --account main --key-file main.key --value apiKey=…\n',
      '  where apiKey is the API key',
      'send requests to POST /api/v1/sign?include=request, for example:\n',
      `  ${JSON.stringify({ platformId: 'bybit-2', accountId: 'main', data: presetOf('bybit').requests?.['order']?.data })}\n`,
      'signing-service platform presets bybit\n',
      'picks this up within seconds (SIGNING_WATCH), or immediately on POST /api/v1/config/reload or SIGHUP.\n',
    ]) {
      expect(bybit.stdout).to.include(text);
    }
    const backpack = await run('--preset', 'backpack');
    expect(backpack.stdout).to.include('--key-file main.key --key-format base64\n').and.not.include('  where ');
    const okx = await run('--preset', 'okx');
    expect(okx.stdout).to.include('--key-file main.key\n  and optionally --value apiKey=…, for the requests that');
    const kraken = await run('--preset', 'kraken');
    expect(kraken.stdout).to.include('(base64); decoded as base64\n');
    expect(kraken.stdout).to.include('For notes, run: signing-service platform presets kraken\n');
  });

  it('describes the key file for the platform if an option overrides secretDecoding', async () => {
    const { stdout } = await run('--preset', 'kraken', '--secret-decoding', 'hex');
    expect(stdout).to.include('  the secret; decoded as hexadecimal\n').and.not.include('base64)');
    expect(stdout).to.include('For notes (except on your overrides), run: ');
    const encoded = await run('--preset', 'okx', '--encoding', 'hex');
    expect(encoded.stdout).to.include('exactly as OKX shows it\n').and.include('(except on your overrides)');
  });

  it('warns about typed data for every contract if no domain is pinned', async () => {
    const warning =
      'its accounts sign typed data for every contract, including token permits, for every permitted caller; ' +
      `pin the domain with --payload '{"rule":"typed-data","domain":{…}}', or set payload.domain in the credentials file`;
    const desk = ['--platform', 'desk', '--format', 'any'];
    const rule = ['--rule', 'typed-data'];
    expect((await run(...desk, ...rule)).stdout.split('\n')).to.include(`warning: ${warning}.`);
    expect(JSON.parse((await run(...desk, ...rule, '--json')).stdout).cautions).to.deep.equal([warning]);
    for (const args of [
      [...desk, '--payload', '{"rule":"typed-data","domain":{"name":"Exchange"}}'],
      [...desk, '--rule', 'hyperliquid-l1'],
      ['--preset', 'aster-v3'],
    ]) {
      expect(JSON.parse((await run(...args, '--json')).stdout).cautions).to.deep.equal([]);
    }
  });

  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--preset', 'bybit', '--policy', 'trade-only'], /no ready-made policies/],
    [['--preset', 'hyperliquid', '--policy', 'read-only'], /available: trade-only, no-withdrawals/],
    [['--preset', 'okx', '--rule', 'raw', '--policy', 'trade-only'], /cannot be combined with --rule or --payload/],
    [['--platform', 'desk', '--format', 'D', '--policy', 'trade-only'], /requires a --preset/],
    [['--preset', 'okx', '--payload', '{"rule":"raw"'], /It must be a JSON object such as/],
    [['--preset', 'okx', '--payload', '{"rule":"raw","r\\u0075le":"query"}'], /Duplicate key: "rule"\./],
    [
      ['--preset', 'okx', '--payload', `{"a":${'['.repeat(11_000)}${']'.repeat(11_000)},"rule":"raw","rule":"raw"}`],
      /It is nested too deeply\./,
    ],
    [
      ['--preset', 'okx', '--secret-decoding', 'ascii'],
      /Allowed choices are utf8, hex, base64, base64url, base64-text/,
    ],
  ];
  it('refuses options that do not fit together, and malformed rules', async () => {
    for (const [args, reason] of refusals) expect(await refusal(...args)).to.match(reason);
  });
});
