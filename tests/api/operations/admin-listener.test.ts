import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { OperatorError } from '../../../src/domain/model/errors.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { exchange } from '../../harness/raw-client.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { startSampleHere } from '../../harness/start-here.ts';
import { sharedAuthorities } from '../../harness/test-authority.ts';

const SIGN = { method: 'POST', path: '/api/v1/sign' };
const RELOAD = { method: 'POST', path: '/api/v1/config/reload' };
const STATUS = { method: 'GET', path: '/api/v1/status' };
const ACCOUNTS = { method: 'GET', path: '/api/v1/accounts' };
const BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

describe('The admin listener', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-admin-'));
  let service: RunningService | undefined;
  let log: RecordingServiceLog;
  let sink: MemoryAuditSink;

  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    await service?.stop();
    service = undefined;
  });

  async function start(environment: { readonly [name: string]: string }): Promise<RunningService> {
    const audit = join(folder, 'audit.jsonl');
    const settings = { SIGNING_AUDIT_FILE: audit, SIGNING_DRAIN_DELAY_MS: '0', ...environment };
    log = new RecordingServiceLog();
    sink = new MemoryAuditSink();
    service = await startSampleHere(settings, { sink, log });
    return service;
  }

  async function statusOf(url: string | null, { method, path }: { method: string; path: string }): Promise<number> {
    const json = { 'Content-Type': 'application/json' };
    const response = await fetch(`${url}${path}`, { method, ...(path === SIGN.path && { body: BODY, headers: json }) });
    return response.status;
  }

  it('alone serves reload and status, but no signing; both serve health', async () => {
    const { url, adminUrl } = await start({ SIGNING_ADMIN_PORT: '0' });
    expect(adminUrl)
      .to.match(/^http:\/\/127\.0\.0\.1:\d+$/)
      .and.not.equal(url);
    for (const call of [STATUS, RELOAD]) {
      expect(await statusOf(url, call), call.path).to.equal(404);
      expect(await statusOf(adminUrl, call), call.path).to.equal(200);
    }
    expect(await statusOf(url, SIGN)).to.equal(200);
    expect(await statusOf(adminUrl, SIGN)).to.equal(404);
    for (const path of ['/healthz', '/readyz']) {
      for (const where of [url, adminUrl]) expect(await statusOf(where, { method: 'GET', path }), path).to.equal(200);
    }
    expect(log.events.find(({ message }) => message === 'Listening.')?.facts).to.include({ url, adminUrl });
  });

  it('alone serves the console, also at its root, and accounts for it', async () => {
    for (const [setting, status] of [
      ['true', 200],
      ['false', 404],
    ] as const) {
      const { url, adminUrl } = await start({ SIGNING_ADMIN_PORT: '0', SIGNING_CONSOLE: setting });
      for (const path of ['/', '/console', '/console.js', '/console.css']) {
        expect(await statusOf(adminUrl, { method: 'GET', path }), path).to.equal(status);
        expect(await statusOf(url, { method: 'GET', path }), path).to.equal(404);
      }
      expect(await statusOf(url, ACCOUNTS)).to.equal(200);
      expect(await statusOf(adminUrl, ACCOUNTS)).to.equal(status);
      await service?.stop();
    }
  });

  it('does not take a request target that is no URL for its root', async () => {
    const { adminUrl } = await start({ SIGNING_ADMIN_PORT: '0' });
    const port = Number(new URL(adminUrl ?? '').port);
    const response = await exchange(port, 'GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expectError(response, 404, 'NOT_FOUND');
  });

  it('alone shows readiness details', async () => {
    const { url, adminUrl } = await start({ SIGNING_ADMIN_PORT: '0' });
    const shownAt = async (where: string | null) => {
      const { data } = (await (await fetch(`${where}/readyz`)).json()) as { data: { [name: string]: object } };
      return data;
    };
    const [open, full] = [await shownAt(url), await shownAt(adminUrl)];
    expect(open).to.have.all.keys('status', 'checks');
    expect(open['checks']).to.deep.include({ keys: { ok: true }, audit: { ok: true } });
    expect(full).to.have.all.keys('status', 'checks', 'facts');
    expect(full['checks']).to.have.nested.property('keys.detail');
    expect(full['facts']).to.have.nested.property('config.outcome', 'success');
  });

  it('stops together with the main listener', async () => {
    const { url, adminUrl, drain } = await start({ SIGNING_ADMIN_PORT: '0' });
    await drain();
    for (const where of [url, adminUrl]) {
      const error = await fetch(`${where}/healthz`).then(
        () => undefined,
        (reason: Error) => reason,
      );
      expect(error).to.be.instanceOf(Error);
    }
  });

  it('reports a port in use and leaves nothing open', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const error = await start({ SIGNING_ADMIN_PORT: String(port) }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    other.close();
    expect(error).to.be.instanceOf(OperatorError);
    expect((error as Error).message)
      .to.include('SIGNING_ADMIN_PORT')
      .and.include(String(port));
    expect(sink.entries.at(-1)?.event).to.equal('stop');
  });

  it('requires the same client certificates', async () => {
    const { authority } = sharedAuthorities();
    const bot = authority.issue('operator', { name: '/CN=operator' });
    const { url, adminUrl } = await start({
      SIGNING_ADMIN_PORT: '0',
      SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile,
      SIGNING_TLS_KEY_FILE: TEST_CERTIFICATE.keyFile,
      SIGNING_TLS_CLIENT_CA_FILE: authority.certFile,
    });
    const own = { cert: readFileSync(bot.certFile), key: readFileSync(bot.keyFile) };
    const send = (where: string, more: object) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = httpsRequest(where, { rejectUnauthorized: false, agent: false, ...more }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.once('error', reject).end();
      });
    expect(await send(`${adminUrl}${STATUS.path}`, {})).to.equal(401);
    expect(await send(`${adminUrl}${STATUS.path}`, own)).to.equal(200);
    expect(await send(`${adminUrl}${RELOAD.path}`, { ...own, method: 'POST' })).to.equal(200);
    expect(sink.entries.at(-1)).to.include({ event: 'reload', principal: 'operator' });
    expect(await send(`${url}${ACCOUNTS.path}`, {})).to.equal(401);
  });
});
