import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { displayWidth } from '../../src/adapters/cli/terminal/width.ts';
import { data, ScriptedServer } from '../client/scripted-server.ts';
import { SAMPLE_RELOAD_RESULT } from '../doubles/sample-reload-result.ts';
import { ACTIVITY, CONTROL_CHARACTERS, poison, READY, STATUS } from '../doubles/status-data.ts';
import { commandInProcess, PIPES, terminalOf } from '../harness/command-in-process.ts';

describe('The page of status', () => {
  const server = new ScriptedServer();
  let url = '';
  before(async () => {
    url = await server.listen();
  });
  after(() => server.close());

  /** The page of a service with this status. */
  async function pageOf(
    status: object,
    { environment = {}, outputs = PIPES }: { environment?: { [name: string]: string }; outputs?: typeof PIPES } = {},
  ): Promise<string> {
    server.play((response, request) => {
      data(request.target === '/readyz' ? READY : { ...STATUS, activity: ACTIVITY, ...status })(response, request);
    });
    const { stdout, exitCode } = await commandInProcess(environment, ['status', '--url', url], outputs);
    expect(exitCode).to.equal(0);
    return stdout;
  }

  /** The line with this label. */
  async function lineOf(label: string, status: object = {}): Promise<string> {
    const page = await pageOf(status);
    return page.match(new RegExp(`^${label} +(.*)$`, 'm'))?.[1] ?? '';
  }

  it('shows service, readiness, rates, figures, refusals and records', async () => {
    const page = await pageOf({});
    expect(page.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).to.deep.equal([
      `Service  ${url}, version 1.0.0, instance signer-1, up 3h 12m 4s`,
      'Readiness  Ready',
      'Signatures  5.0/s  ▁▁▂▃▅█  peak 16.0/s in 30 s',
      'Refusals  0.1/s  ▁▁▁▁▁█  peak 0.6/s in 30 s',
      'Signed  12345 signatures, 0.42 ms on average, 1.23 % of attempts without a signature',
      'Accounts  200: alpha 120, beta 80',
      'Configuration  config/credentials.json, loaded 2026-11-20T08:00:00Z, watched for changes, 2 loads succeeded, 0 failed',
      'Last load  2026-11-20T08:00:00Z, trigger watch: success',
      'Audit  var/audit/audit.jsonl, head 12400 (sha256:abababababab…), checkpoint 12399 of 2026-11-20T08:49:01Z',
      'Audit disk  ok, 11.4 GiB free; low below 1 GiB',
      'Certificate  expires 2026-12-01T00:00:00Z, 5 days left: renew it',
      'Replicas  2, counters shared',
      'Load  1 signing, 4 waiting, since the start 3 rejected as overloaded, 7 over a rate limit',
      '',
      'REFUSED  COUNT  LAST CODE  LAST TIME',
      'account alpha/main  3  POLICY_DENIED  2026-11-20T08:48:01Z',
      'caller bot-1  3  POLICY_DENIED  2026-11-20T08:48:01Z',
      'caller (not authenticated)  1  UNAUTHENTICATED  2026-11-20T08:40:00Z',
      'policy trade-only  3  POLICY_DENIED  2026-11-20T08:48:01Z',
      '',
      'LAST RECORDS  EVENT  OUTCOME  ACCOUNT  CALLER  CODE  POLICY',
      '2026-11-20T08:49:01Z  sign  refused  alpha/main  bot-1  POLICY_DENIED  trade-only',
      '2026-11-20T08:00:00Z  reload  success  -  -',
      '',
    ]);
  });

  it('shows where checkpoints are saved, and whether that fails', async () => {
    const saved = (copy: object) => {
      const copies = [{ setting: 'SIGNING_AUDIT_CHECKPOINT_FILE', place: '/mnt/c.jsonl', ...copy }];
      return lineOf('Saved in', { audit: { ...STATUS.audit, checkpointCopies: copies } });
    };
    expect(await saved({ seq: 17, failures: 0 })).to.equal('/mnt/c.jsonl: saved up to record 17');
    expect(await saved({ seq: null, failures: 1 })).to.equal(
      '/mnt/c.jsonl: NOT SAVED (1 failed attempt), none saved yet',
    );
  });

  it('shows the limit below which the disk is low or critical', async () => {
    const disk = { ...STATUS.audit.disk, freeBytes: 10_485_760, state: 'critical' };
    expect(await lineOf('Audit disk', { audit: { ...STATUS.audit, disk } })).to.equal(
      'critical, 10 MiB free; critical below 100 MiB',
    );
  });

  it('asks to renew a certificate from the days on that the service warns from', async () => {
    expect(await lineOf('Certificate', { expiryWarningDays: 6 })).to.match(/, 5 days left: renew it$/);
    expect(await lineOf('Certificate', { expiryWarningDays: 5 })).to.match(/, 5 days left$/);
  });

  it('escapes control characters in every text of a hostile service', async () => {
    const usage = { ...STATUS.usage, state: 'behind', behindSince: '2026-11-20T08:00:00.000Z', reason: 'timeout' };
    const authentication = { expirationTime: '2026-12-01T00:00:00.000Z', daysLeft: 5 };
    const page = await pageOf(poison({ ...STATUS, usage, authentication, activity: ACTIVITY }));
    expect(page).to.not.match(CONTROL_CHARACTERS);
    expect(page).to.include('expires 2026-12-01T00:00:00.000Z\\u{1b}]0;title');
  });

  it('shows the issues of a failed load, which it also warns of', async () => {
    const issues = [{ path: 'accounts[3].alias', message: 'is too long' }];
    const config = { ...STATUS.config, lastReload: { ...STATUS.config.lastReload, outcome: 'failed', issues } };
    const page = await pageOf({ config });
    expect(page).to.match(
      /^Last load +2026-11-20T08:00:00Z, trigger watch: failed; accounts\[3\]\.alias is too long$/m,
    );
    expect(page).to.match(/^Readiness +Ready\n +The last load of the configuration failed$/m);
  });

  it('shows the changes of a load, but not of the start, where all is new', async () => {
    const loaded = (lastLoad: object, trigger = 'watch') =>
      lineOf('Last load', {
        config: { ...STATUS.config, lastReload: { ...STATUS.config.lastReload, trigger } },
        activity: { ...ACTIVITY, lastLoad },
      });
    const { accounts, policies, budgets } = SAMPLE_RELOAD_RESULT;
    const added = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6'];
    const changed = {
      ...SAMPLE_RELOAD_RESULT,
      accounts: { ...accounts, added, more: { ...accounts.more, added: 5 } },
      policies: { ...policies, added: [{ name: 'orders', digest: 'sha256:0a' }] },
      budgets: { ...budgets, removed: [{ name: 'daily', digest: 'sha256:0a' }] },
    };
    expect(await loaded(changed)).to.match(
      /success; accounts added a\/1,a\/2,a\/3,a\/4,a\/5,\+6; policies added orders; budgets removed daily$/,
    );
    expect(await loaded(SAMPLE_RELOAD_RESULT)).to.match(/success; no changes$/);
    expect(await loaded(changed, 'start')).to.match(/trigger start: success$/);
  });

  it('fits a terminal', async () => {
    const page = await pageOf({}, { outputs: terminalOf(60), environment: { TERM: 'xterm-256color' } });
    for (const line of page.split('\n')) expect(displayWidth(line), line).to.be.at.most(60);
    expect(page).to.include('\u001b[32mReady\u001b[39m');
    expect(stripVTControlCharacters(page)).to.match(/^Signatures {5}5\.0\/s /m);
  });

  for (const [counts, seconds, line] of [
    [[0, 0], 5, '▁▁  peak 0.0/s in 10 s'],
    [[1], 100, '█  peak <0.1/s in 100 s'],
    [[0, 1, 1000], 50, '▁▂█  peak 20.0/s in 3 min'],
    [[6173], 5, '█  peak 1235/s in 5 s'],
  ] as const) {
    it(`draws zero lowest and anything else higher: ${line}`, async () => {
      const activity = { ...ACTIVITY, intervalSeconds: seconds, signatures: counts };
      expect(await lineOf('Signatures', { activity })).to.include(line);
    });
  }

  for (const [locale, line] of [
    [{ LANG: 'C' }, '__.:=#'],
    [{ LANG: 'en_US.UTF-8' }, '▁▁▂▃▅█'],
    [{ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' }, '__.:=#'],
    [{}, '▁▁▂▃▅█'],
  ] as const) {
    it(`draws in ASCII if the locale is not UTF-8: ${JSON.stringify(locale)}`, async () => {
      expect(await pageOf({}, { environment: locale })).to.include(` ${line}  peak`);
    });
  }
});
