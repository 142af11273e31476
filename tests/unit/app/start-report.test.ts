import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../src/adapters/audit/record/signed-record.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { reportHardening, warnOfFilesAndClock } from '../../../src/app/start-report.ts';
import { chainEntry } from '../../doubles/audit-chain.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../doubles/sample-audit-entry.ts';

describe('reportHardening', () => {
  it('reports active hardening in one line, as a warning if some is missing', () => {
    const log = new RecordingServiceLog();
    reportHardening({}, log);
    const [line] = log.events;
    expect(line?.facts).to.include.keys('memory', 'dumpable', 'core-dumps', 'swap', 'node-options');
    // These tests run without the hardening options.
    expect(line?.level).to.equal('warn');
    expect(line?.facts['missing']).to.include('node-options').and.not.include('memory');
    expect(line?.message).to.include('doctor');
  });

  it('warns about anything that exposes the process, in a separate line, without its value', () => {
    const log = new RecordingServiceLog();
    reportHardening({ NODE_DEBUG: 'hunter2' }, log);
    const line = log.events.find(({ message }) => message.startsWith('Other processes can inspect this process'));
    expect(line?.level).to.equal('warn');
    expect(JSON.stringify(line?.facts)).to.include('NODE_DEBUG').and.not.include('hunter2');
  });
});

describe('warnOfFilesAndClock', () => {
  let folder: string;
  let log: RecordingServiceLog;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
    log = new RecordingServiceLog();
    for (const file of [CREDENTIALS, MASTER_KEY, AUDIT_KEY, AUDIT]) write(file, '');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const [CREDENTIALS, MASTER_KEY, AUDIT_KEY, AUDIT] = ['credentials.json', 'master.key', 'audit.key', 'audit.jsonl'];
  const SEGMENT = 'audit.000000000001.jsonl';
  const path = (file: string) => join(folder, file);
  const write = (file: string, text: string) => writeFileSync(path(file), text, { mode: 0o600 });

  async function warnings(more: object = {}, now = Date.now()): Promise<readonly (readonly [string, object])[]> {
    const settings = readSettings({
      SIGNING_CREDENTIALS_FILE: path(CREDENTIALS),
      SIGNING_MASTER_KEY_FILE: path(MASTER_KEY),
      SIGNING_AUDIT_KEY_FILE: path(AUDIT_KEY),
      SIGNING_AUDIT_FILE: path(AUDIT),
      ...more,
    });
    log.events.length = 0;
    await warnOfFilesAndClock(settings, log, now);
    expect(log.events.map(({ level }) => level)).to.satisfy((levels: string[]) =>
      levels.every((one) => one === 'warn'),
    );
    return log.events.map(({ message, facts }) => [message, facts] as const);
  }

  it('logs nothing if only this user can access the files, nor about missing ones, which the start reports', async () => {
    expect(await warnings()).to.deep.equal([]);
    for (const file of [MASTER_KEY, AUDIT]) rmSync(path(file));
    expect(await warnings()).to.deep.equal([]);
  });

  it('warns once about all files that others can read or write, as doctor does', async () => {
    for (const file of [CREDENTIALS, MASTER_KEY, AUDIT_KEY]) chmodSync(path(file), 0o644);
    chmodSync(path(AUDIT), 0o662);
    const [[message, facts] = ['', {}], ...others] = await warnings();
    expect(others).to.deep.equal([]);
    expect(message).to.include('Others can access files').and.include('doctor');
    expect(facts).to.have.property('count', 4);
    const { found } = facts as { readonly found: readonly { readonly message: string }[] };
    expect(found[0]?.message).to.equal(`${path(CREDENTIALS)}: every user has access to it (mode 0644)`);
    expect(found[3]?.message).to.equal(`${path(AUDIT)}: it is world-writable (mode 0662)`);
  });

  it('warns of a clock behind the last write of the audit file', async () => {
    const later = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    write(SEGMENT, `${chainEntry(sampleAuditEntry(), EMPTY_CHAIN).line}\n`);
    utimesSync(path(SEGMENT), later, later);
    const [[message] = [''], ...others] = await warnings();
    expect(others).to.deep.equal([]);
    expect(message)
      .to.match(/^The clock is behind: .*the audit file was last written at/)
      .and.include(later.toISOString());
  });

  it('warns of a clock behind the last audit record, although the file was copied since', async () => {
    const time = new Date(Date.now() + 3_600_000).toISOString();
    const { line } = chainEntry(sampleAuditEntry({ time }), EMPTY_CHAIN);
    write(SEGMENT, `${line}\n{"torn`);
    const [[message] = [''], ...others] = await warnings();
    expect(others).to.deep.equal([]);
    expect(message).to.include(`the last audit record was written at ${time}`);
  });
});
