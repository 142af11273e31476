import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import type { PermissionEntry } from '../../../src/domain/model/permissions.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { StagedCredentialSource } from '../../doubles/staged-credential-source.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { startSampleHere } from '../../harness/start-here.ts';

const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['reload', 'status'] };

describe('A service that starts with a permissions list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  let service: RunningService;
  let source: StagedCredentialSource;
  let log: RecordingServiceLog;
  let sink: MemoryAuditSink;

  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => service.stop());

  const configurationOf = (permissions: readonly PermissionEntry[]) => ({
    platforms: SAMPLE_PLATFORMS,
    accounts: SAMPLE_ACCOUNTS,
    permissions,
  });

  async function start(permissions: readonly PermissionEntry[]): Promise<void> {
    const environment = {
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
      SIGNING_WATCH: 'false',
      SIGNING_DRAIN_DELAY_MS: '0',
    };
    source = new StagedCredentialSource(configurationOf(permissions));
    log = new RecordingServiceLog();
    sink = new MemoryAuditSink();
    service = await startSampleHere(environment, { sink, log, source });
  }

  const warnings = () =>
    log.events.filter(({ level, message }) => level === 'warn' && message.startsWith('Every request is refused'));
  const status = async () => (await fetch(`${service.url}/api/v1/status`)).status;
  const reload = async () => (await fetch(`${service.url}/api/v1/config/reload`, { method: 'POST' })).status;

  it('warns if the list permits no caller, refuses every call, and lets the operator reload', async () => {
    await start([]);
    expect(warnings()).to.have.length(1);
    expect(await status()).to.equal(403);
    expect(await reload()).to.equal(403);
    expect(sink.entries.map(({ event, outcome }) => `${event} ${outcome}`)).to.deep.equal([
      'start success',
      'reload success',
      'status refused',
      'reload refused',
    ]);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);

    source.contain(configurationOf([ANYBODY]));
    // Like SIGHUP.
    expect((await service.reload()).ok).to.equal(true);
    expect(warnings()).to.have.length(1);
    expect(await status()).to.equal(200);
    expect(await reload()).to.equal(200);
  });

  it('does not warn if anonymous callers have a permission', async () => {
    await start([ANYBODY]);
    expect(warnings()).to.deep.equal([]);
    expect(await status()).to.equal(200);
  });
});
