import { expect } from 'chai';
import { toVenuePolicy } from '../../src/adapters/venues/venue-policies.ts';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import { samplePlatform } from '../doubles/credential-builder.ts';
import { commandOn } from '../harness/command-on.ts';
import { presetOf } from '../harness/venue-vectors.ts';

const LONG = `signed.text.startsWith("${'x'.repeat(100)}")`;
const POLICIES: readonly PolicyEntry[] = [
  { name: 'orders', accounts: ['alpha/main', 'alpha/bot-*'], effect: 'allow', when: 'signed.text == "a" ||\n  true' },
  { name: 'bots', accounts: ['*/bot-7'], principals: ['bot-*'], effect: 'deny', when: LONG, mode: 'audit' },
];

const run = (args: readonly string[]) =>
  commandOn({ platforms: [samplePlatform({ algorithms: ['ed25519'] })], policies: POLICIES }, [
    'policy',
    'list',
    ...args,
  ]);

const namesIn = async (...args: readonly string[]) =>
  JSON.parse((await run([...args, '--json'])).stdout).policies.map(({ name }: { readonly name: string }) => name);

describe('policy list', () => {
  it('shows the policies in their order, one per row', async () => {
    const { stdout, exitCode } = await run([]);
    expect(exitCode).to.equal(0);
    const [headings, ...rows] = stdout.trimEnd().split('\n');
    expect(headings?.split(/ {2,}/)).to.deep.equal(['NAME', 'EFFECT', 'MODE', 'ACCOUNTS', 'PRINCIPALS', 'CONDITION']);
    expect(rows.map((row) => row.split(/ {2,}/))).to.deep.equal([
      ['orders', 'allow', 'enforce', 'alpha/main, alpha/bot-*', '(all)', 'signed.text == "a" || true'],
      ['bots', 'deny', 'audit', '*/bot-7', 'bot-*', LONG],
    ]);
  });

  it('counts the requests of a ready-made policy in place of its condition', async () => {
    const platform = { platformId: 'desk', ...presetOf('okx').platform };
    const made = toVenuePolicy(presetOf('okx'), 'no-withdrawals', 'desk', ['login']);
    const listing = { platforms: [platform], policies: made === undefined ? [] : [made.entry] };
    const { stdout } = await commandOn(listing, ['policy', 'list']);
    expect(stdout.split('\n')[1]).to.match(
      /^desk-no-withdrawals +deny +enforce +desk\/\* +\(all\) +okx no-withdrawals: all but 19 orders, \d+ tradingReads, 1 session, /,
    );
  });

  it('filters by the platform and the account that they name', async () => {
    expect(await namesIn('--platform', 'beta')).to.deep.equal(['bots']);
    expect(await namesIn('--account', 'main')).to.deep.equal(['orders']);
    expect(await namesIn('--platform', 'alpha', '--account', 'bot-7')).to.deep.equal(['orders', 'bots']);
    expect((await run(['--platform', 'beta', '--account', 'main'])).stdout).to.equal('No policies.\n');
  });

  it('shows the budgets after them', async () => {
    const budgets = [
      { name: 'daily', accounts: ['alpha/*'], sum: 'size(signed.text) *\n 2', max: '0.5', windowSeconds: 86_400 },
      { name: 'other', accounts: ['beta/*'], sum: '1', max: 3, windowSeconds: 60 },
    ];
    const listing = { platforms: [samplePlatform({ algorithms: ['ed25519'] })], budgets };
    const { stdout } = await commandOn(listing, ['policy', 'list', '--platform', 'alpha']);
    const [none, , headings, row, ...more] = stdout.trimEnd().split('\n');
    expect([none, more]).to.deep.equal(['No policies.', []]);
    expect(headings?.split(/ {2,}/)).to.deep.equal(['BUDGET', 'MAX', 'SECONDS', 'ACCOUNTS', 'SUM']);
    expect(row?.split(/ {2,}/)).to.deep.equal(['daily', '0.5', '86400', 'alpha/*', 'size(signed.text) * 2']);
    const json = JSON.parse((await commandOn(listing, ['policy', 'list', '--json'])).stdout);
    expect(json.budgets).to.deep.equal(budgets);
  });
});
