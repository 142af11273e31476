import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { AuditUnavailableError, OperatorError } from '../../../src/domain/model/errors.ts';
import type { PermissionEntry } from '../../../src/domain/model/permissions.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { StagedCredentialSource } from '../../doubles/staged-credential-source.ts';
import { DATA_A, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { startSampleHere } from '../../harness/start-here.ts';

describe('Start and stop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  let sink: MemoryAuditSink;
  let keyStore: MockKeyStore;
  let source: StagedCredentialSource;

  after(() => rmSync(folder, { recursive: true, force: true }));

  function start(port: number, drainMs: number, delayMs = 0) {
    const environment = {
      SIGNING_PORT: String(port),
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
      SIGNING_DRAIN_DELAY_MS: String(delayMs),
    };
    return startSampleHere(environment, doubles(), { drainMs });
  }

  function doubles() {
    sink = new MemoryAuditSink();
    keyStore = new MockKeyStore();
    source = new StagedCredentialSource({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS });
    return { sink, log: new RecordingServiceLog(), keyStore, source };
  }

  function events(): readonly string[] {
    return sink.entries.map(({ event, outcome }) => `${event} ${outcome}`);
  }

  it('a start that fails after its record writes a stop record and purges the keys', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const error = await start((other.address() as AddressInfo).port, 1000).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    other.close();
    expect(error).to.be.instanceOf(OperatorError).with.property('message').that.includes('SIGNING_PORT');
    expect(events()).to.deep.equal(['start success', 'reload success', 'stop success']);
    expect(keyStore.calls.at(-1)?.call).to.equal('purge');
  });

  it('a start on an address of another machine names SIGNING_HOST', async () => {
    const environment = { SIGNING_HOST: '192.0.2.1', SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl') };
    const error = await startSampleHere(environment, doubles()).catch((reason: unknown) => reason);
    expect(String(error)).to.include('SIGNING_HOST').and.include('192.0.2.1');
  });

  it('a start that fails before its record closes the audit file and purges the keys', async () => {
    const replaced = doubles();
    let closed = 0;
    sink.close = async () => {
      closed += 1;
      throw new Error('not closed');
    };
    const replace = () => {
      throw new Error('planted');
    };
    const environment = { SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl') };
    const error = await startSampleHere(environment, replaced, { replace }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(Error).with.property('message').that.includes('planted');
    expect([closed, events().length, keyStore.calls.at(-1)?.call]).to.deep.equal([1, 0, 'purge']);
    expect(String(replaced.log.events.at(-1)?.facts['cause'])).to.include('not closed');
  });

  it('a start that cannot be recorded writes no stop record', async () => {
    const replaced = doubles();
    const append = sink.append.bind(sink);
    sink.append = async () => {
      sink.append = append;
      throw new AuditUnavailableError('planted');
    };
    const environment = { SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl') };
    const error = await startSampleHere(environment, replaced).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(OperatorError);
    expect(events()).to.deep.equal([]);
  });

  it('a request that is aborted at the timeout is recorded before the stop', async () => {
    const service = await start(0, 50);
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'POST /api/v1/sign HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"platf',
    );
    // A response to a later request shows that the first was received.
    await fetch(`${service.url}/api/v1/status`);
    await service.stop();
    expect(events()).to.deep.equal(['start success', 'reload success', 'sign refused', 'stop success']);
  });

  it('draining fails readiness first, and keeps signing during the delay', async () => {
    const service = await start(0, 1000, 60_000);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
    const stopped = service.drain();
    expect(service.drain()).to.equal(stopped);

    const unready = await fetch(`${service.url}/readyz`);
    expect(unready.status).to.equal(503);
    const { error } = (await unready.json()) as { error: { details: { checks: object } } };
    expect(error.details.checks).to.have.nested.property('draining.ok', false);
    expect((await fetch(`${service.url}/healthz`)).status).to.equal(200);
    const signed = await fetch(`${service.url}/api/v1/sign`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }),
    });
    expect(signed.status).to.equal(200);
    expect(signed.headers.get('connection')).to.equal('close');

    await service.stop();
    await stopped;
    expect(events()).to.deep.equal(['start success', 'reload success', 'sign success', 'stop success']);
    const refusal = await fetch(`${service.url}/readyz`).then(
      () => undefined,
      (error: TypeError) => (error.cause as NodeJS.ErrnoException).code,
    );
    expect(refusal).to.equal('ECONNREFUSED');
  });

  it('an immediate stop ends draining early', async () => {
    const service = await start(0, 1000, 60_000);
    const drained = service.drain();
    await service.stop();
    await drained;
    await service.drain();
    expect(events()).to.deep.equal(['start success', 'reload success', 'stop success']);
    expect(keyStore.calls.filter(({ call }) => call === 'purge')).to.have.length(1);
  });
});

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

  it('logs denied reloads together, at a stop those that are not logged yet', async () => {
    await start([]);
    for (let nth = 0; nth < 3; nth += 1) await reload();
    await service.stop();
    const denied = log.events.filter(({ message }) => message.startsWith('Reload denied'));
    expect(denied.map(({ facts }) => facts['count'])).to.deep.equal([1, 2]);
    expect(log.events.slice(-2).map(({ message }) => message)).to.deep.equal([denied[1]?.message, 'Stopped.']);
  });

  it('does not warn if anonymous callers have a permission', async () => {
    await start([ANYBODY]);
    expect(warnings()).to.deep.equal([]);
    expect(await status()).to.equal(200);
  });
});
