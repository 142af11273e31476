import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { isAsciiTerminal, sparkline } from '../../../../../src/adapters/cli/status/sparkline.ts';
import { formatReading } from '../../../../../src/adapters/cli/status/status-report.ts';
import type { StatusReading } from '../../../../../src/adapters/cli/status/status-source.ts';
import { PLAIN_STYLE } from '../../../../../src/adapters/cli/terminal/style.ts';
import { displayWidth } from '../../../../../src/adapters/cli/terminal/width.ts';
import { formatPerSecond } from '../../../../../src/adapters/status-view/status-view.ts';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { SAMPLE_RELOAD_RESULT } from '../../../../doubles/sample-reload-result.ts';
import { ACTIVITY, CONTROL_CHARACTERS, poison, STATUS } from '../../../../doubles/status-data.ts';

const READING: StatusReading = {
  url: 'https://signer:9090',
  time: '2026-11-20T08:50:00.000Z',
  ready: true,
  checks: { keys: { ok: true }, audit: { ok: true } },
  status: { ...STATUS, activity: ACTIVITY },
  problem: null,
};

const PLAIN = { terminal: PLAIN_STYLE, ascii: false };

function lineOf(label: string, reading: StatusReading = READING): string {
  const lines = formatReading(reading, PLAIN).split('\n');
  return (
    lines
      .find((line) => line.startsWith(`${label} `))
      ?.slice(label.length)
      .trim() ?? ''
  );
}

describe('The status page', () => {
  it('shows service, readiness, rates, accounts, load, audit, disk, certificate and replicas', () => {
    expect(lineOf('Service')).to.equal('https://signer:9090, version 1.0.0, instance signer-1, up 3h 12m 4s');
    expect(lineOf('Readiness')).to.equal('ready');
    expect(lineOf('Signatures')).to.equal('5.0/s   ▁▁▂▃▅█  peak 16.0/s in 30 s');
    expect(lineOf('Refusals')).to.equal('0.1/s   ▁▁▁▁▁█  peak 0.6/s in 30 s');
    expect(lineOf('Signed')).to.equal('12345 signatures, 0.42 ms on average, 1.23 % of attempts without a signature');
    expect(lineOf('Accounts')).to.equal('200: alpha 120, beta 80');
    expect(lineOf('Last load')).to.equal('2026-11-20T08:00:00Z, trigger watch: success');
    expect(lineOf('Audit')).to.equal(
      'var/audit/audit.jsonl, head 12400 (sha256:abababababab…), checkpoint 12399 of 2026-11-20T08:49:01Z',
    );
    expect(lineOf('Audit disk')).to.equal('ok, 11.4 GiB free; low below 1 GiB');
    expect(lineOf('Certificate')).to.equal('expires 2026-12-01T00:00:00Z, 5 days left: renew it');
    expect(lineOf('Replicas')).to.equal('2, counters shared');
    expect(lineOf('Load')).to.equal(
      '1 signing, 4 waiting, since the start 3 rejected as overloaded, 7 over a rate limit',
    );
  });

  it('shows where checkpoints are saved, and whether that fails', () => {
    const saved = (copy: object) => {
      const copies = [{ setting: 'SIGNING_AUDIT_CHECKPOINT_FILE', place: '/mnt/c.jsonl', ...copy }];
      const status = { ...STATUS, audit: { ...STATUS.audit, checkpointCopies: copies } };
      return lineOf('Saved in', { ...READING, status });
    };
    expect(saved({ seq: 17, failures: 0 })).to.equal('/mnt/c.jsonl: saved up to record 17');
    expect(saved({ seq: null, failures: 1 })).to.equal('/mnt/c.jsonl: NOT SAVED (1 failed attempt), none saved yet');
  });

  it('shows the limit below which the disk is low or critical', () => {
    const disk = { ...STATUS.audit.disk, freeBytes: 10_485_760, state: 'critical' };
    const status = { ...STATUS, audit: { ...STATUS.audit, disk } };
    expect(lineOf('Audit disk', { ...READING, status })).to.equal('critical, 10 MiB free; critical below 100 MiB');
  });

  it('asks to renew a certificate from the days on that the service warns from', () => {
    const shown = (expiryWarningDays: number) =>
      lineOf('Certificate', { ...READING, status: { ...STATUS, expiryWarningDays } });
    expect(shown(6)).to.equal('expires 2026-12-01T00:00:00Z, 5 days left: renew it');
    expect(shown(5)).to.equal('expires 2026-12-01T00:00:00Z, 5 days left');
  });

  it('escapes control characters in every text of a hostile service', () => {
    const usage = { ...STATUS.usage, state: 'behind', behindSince: '2026-11-20T08:00:00.000Z', reason: 'timeout' };
    const authentication = { expirationTime: '2026-12-01T00:00:00.000Z', daysLeft: 5 };
    const status = poison({ ...STATUS, usage, authentication, activity: ACTIVITY });
    const page = formatReading({ ...READING, status }, PLAIN);
    expect(page).to.not.match(CONTROL_CHARACTERS);
    expect(page).to.include('expires 2026-12-01T00:00:00.000Z\\u{1b}]0;title');
  });

  it('shows the issues of a failed load, and the changes of a successful one', () => {
    const withReload = (lastReload: object, lastLoad: JsonObject | null = null): StatusReading => {
      const config = { ...STATUS.config, lastReload: { ...STATUS.config.lastReload, ...lastReload } };
      return { ...READING, status: { ...STATUS, config, activity: { ...ACTIVITY, lastLoad } } };
    };
    const issues = [{ path: 'accounts[3].alias', message: 'is too long' }];
    expect(lineOf('Last load', withReload({ outcome: 'failed', issues }))).to.equal(
      '2026-11-20T08:00:00Z, trigger watch: failed; accounts[3].alias is too long',
    );
    const { accounts, policies, budgets } = SAMPLE_RELOAD_RESULT;
    const added = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6'];
    const changed = {
      ...SAMPLE_RELOAD_RESULT,
      accounts: { ...accounts, added, more: { ...accounts.more, added: 5 } },
      policies: { ...policies, added: [{ name: 'orders', digest: 'sha256:0a' }] },
      budgets: { ...budgets, removed: [{ name: 'daily\u0007', digest: 'sha256:0a' }] },
    } as unknown as JsonObject;
    expect(lineOf('Last load', withReload({}, changed))).to.match(
      /success; accounts added a\/1,a\/2,a\/3,a\/4,a\/5,\+6; policies added orders; budgets removed daily\S+$/,
    );
    expect(lineOf('Last load', withReload({}, changed))).to.not.include('\u0007');
    const unchanged = SAMPLE_RELOAD_RESULT as unknown as JsonObject;
    expect(lineOf('Last load', withReload({}, unchanged))).to.match(/success; no changes$/);
    expect(lineOf('Last load', withReload({ trigger: 'start' }, changed))).to.match(/trigger start: success$/);
  });

  it('fits a terminal, and escapes control characters of names', () => {
    const terminal = { colour: true, columns: 60 };
    const activity = {
      ...ACTIVITY,
      refusedBy: { ...ACTIVITY.refusedBy, policies: [{ policy: '\u001b[2J', count: 1 }] },
    };
    const page = formatReading({ ...READING, status: { ...STATUS, activity } }, { terminal, ascii: true });
    for (const line of page.split('\n')) expect(displayWidth(line), line).to.be.at.most(60);
    expect(stripVTControlCharacters(page)).to.match(/^po.*\[2J +1$/m);
    expect(page).to.not.include('\u001b[2J');
    expect(stripVTControlCharacters(page)).to.include('__.:=#');
  });
});

describe('Figures of the status', () => {
  it('have a unit', () => {
    expect([0, 0.01, 3.14, 1234.5].map(formatPerSecond)).to.deep.equal(['0.0/s', '<0.1/s', '3.1/s', '1235/s']);
  });

  it('are drawn with zero lowest, and anything else higher', () => {
    expect(sparkline([0, 1, 1000], false)).to.equal('▁▂█');
    expect(sparkline([0, 0], false)).to.equal('▁▁');
    expect(sparkline([0, 1, 1000], true)).to.equal('_.#');
  });

  it('use ASCII if the locale is not UTF-8; LC_ALL comes first', () => {
    expect(isAsciiTerminal({ LANG: 'C' })).to.equal(true);
    expect(isAsciiTerminal({ LANG: 'en_US.UTF-8' })).to.equal(false);
    expect(isAsciiTerminal({ LANG: 'en_US.UTF-8', LC_ALL: 'POSIX' })).to.equal(true);
    expect(isAsciiTerminal({})).to.equal(false);
  });
});
