import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { sampleListedAccount, samplePlatform } from '../doubles/credential-builder.ts';
import { commandOn } from '../harness/command-on.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const DAILY = { name: 'daily', accounts: ['alpha/*'], sum: 'size(signed.text)', max: '100', windowSeconds: 86_400 };
const BEFORE = {
  platforms: [samplePlatform({ algorithms: ['ed25519'], payload: { rule: 'raw' } })],
  accounts: [sampleListedAccount(), sampleListedAccount({ accountId: 'other' })],
  budgets: [DAILY],
};

const run = (...args: readonly string[]) => commandOn(BEFORE, ['budget', ...args]);
const added = ['--account', 'alpha/main', '--account', 'beta/*', '--sum', '1', '--max', '600', '--window', '60'];

describe('budget add, edit and remove', () => {
  it('change the list, and leave the other budgets as they are', async () => {
    const { after, stdout } = await run('add', 'orders', ...added);
    const orders = { name: 'orders', accounts: ['alpha/main', 'beta/*'], sum: '1', max: '600', windowSeconds: 60 };
    expect(after.budgets).to.deep.equal([DAILY, orders]);
    expect(stdout).to.match(
      /^Budget orders added: at most 600 within 60 seconds for each account of alpha\/main, beta/,
    );
    const gone = await run('remove', 'daily');
    expect(gone.after.budgets).to.deep.equal([]);
    expect(gone.stdout).to.match(/^Budget daily removed\.\nA running service/);
  });

  it('change what is named of a budget', async () => {
    const { after, stdout } = await run('edit', 'daily', '--max', '50', '--account', 'alpah/*');
    expect(after.budgets).to.deep.equal([{ ...DAILY, max: '50', accounts: ['alpah/*'] }]);
    expect(stdout).to.include('Budget daily changed: at most 50 within 86400 seconds');
    expect(stdout).to.include('warning: the credentials file has no platform for alpah/*');
  });

  for (const [args, reason] of [
    [['add', 'daily', ...added], /Budget "daily" already exists; nothing was changed/],
    [['add', 'a', ...added.with(5, 'signed.txt')], /budgets\[1\]\.sum .*signed\.txt/],
    [['add', 'a', ...added.with(7, '0')], /budgets\[1\]\.max must be/],
    [['add', 'a', ...added.with(9, '0')], /integer from 1 to 2678400/],
    [['edit', 'none', '--max', '1'], /There is no budget "none"; nothing was changed/],
    [['edit', 'daily', '--sum', 'signed.txt'], /budgets\[0\]\.sum .*signed\.txt/],
    [['edit', 'daily'], /Set at least one of --account/],
    [['remove', 'none'], /There is no budget "none"; nothing was changed/],
  ] as const) {
    it(`refuse ${args.join(' ')}, and change nothing`, async () => {
      const { after, stderr, exitCode } = await run(...args);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(reason);
      expect(after.budgets).to.deep.equal([DAILY]);
    });
  }
});

describe('budget list', () => {
  const place = useWorkplace([
    'platform add --platform alpha --format any --rule raw --algorithm ed25519',
    'account add --platform alpha --account main',
    'account add --platform alpha --account other',
    'budget add daily --account alpha/* --sum size(signed.text) --max 100 --window 86400',
  ]);
  const left = async (...args: readonly string[]) => {
    const { stdout, exitCode } = await place.commandHere('budget', 'list', ...args, '--json');
    const { budgets, cautions } = JSON.parse(stdout);
    const rows = budgets.map((row: { accountId: string; left: string | null }) => [row.accountId, row.left]);
    return { rows, cautions, exitCode };
  };

  it('shows what is left of each account, before and after the service signed, and charges nothing', async () => {
    expect((await left()).rows).to.deep.equal([
      ['main', '100'],
      ['other', '100'],
    ]);
    const service = await place.startHere();
    const sign = (text: string) => service.post('/sign', { platformId: 'alpha', accountId: 'main', data: { text } });
    expect((await sign('x'.repeat(30))).status).to.equal(200);
    // The file of a running service has up to a fiftieth more than was charged.
    expect((await left('--account', 'main')).rows).to.deep.equal([['main', '68']]);
    expect((await sign('x'.repeat(71))).status).to.equal(403);
    await service.stop();
    expect((await left()).rows).to.deep.equal([
      ['main', '70'],
      ['other', '100'],
    ]);
    const { stdout } = await place.commandHere('budget', 'list');
    expect(stdout).to.match(/^BUDGET +ACCOUNT +LEFT +MAX +SECONDS\ndaily +alpha\/main +70 +100 +86400\n/);
  });

  it('says that it is unknown if the budget file is damaged, and exits with 3', async () => {
    const file = place.path('audit.jsonl.budgets');
    const before = readFileSync(file);
    writeFileSync(file, 'no budgets');
    const { rows, cautions, exitCode } = await left('--account', 'main');
    writeFileSync(file, before);
    expect(rows).to.deep.equal([['main', null]]);
    expect(cautions.join())
      .to.include('The budget file cannot be read')
      .and.match(/: \S+audit\.jsonl\.budgets$/);
    expect(exitCode).to.equal(3);
  });
});
