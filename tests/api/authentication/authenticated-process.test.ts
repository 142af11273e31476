import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SystemClock } from '../../../src/adapters/node/system-clock.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { TIME_WINDOW_MS } from '../../../src/domain/model/authentication.ts';
import type { ReplayGuard } from '../../../src/ports/replay-guard.ts';
import { findResponseIssue, issueToken, newNonce, signRequest, TestKey } from '../../authentication/parties.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { settledReplayGuard } from '../../doubles/settled-replay-guard.ts';
import { bs58 } from '../../harness/base58.ts';
import { runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere, startSampleHere } from '../../harness/start-here.ts';
import { until } from '../../redis/until.ts';

const AUTHORITY = new TestKey(0xa1);
const CLIENT = new TestKey(0xc1);
const SERVICE = new TestKey(0x5e);

describe('A service with mutual authentication', () => {
  let folder: string;
  let log: RecordingServiceLog;
  let sink: MemoryAuditSink;
  let service: RunningService | null;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-auth-'));
    log = new RecordingServiceLog();
    sink = new MemoryAuditSink();
    service = null;
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
  const tokenOf = (username: string, key: TestKey, authority = AUTHORITY) =>
    issueToken(authority, { username, publicKey: key.publicKey, expirationTime });
  const file = (name: string) => join(folder, name);
  const writeFiles = (authority = AUTHORITY) => {
    writeFileSync(file('authorities.txt'), `${bs58.encode(authority.publicKey)}\n`);
    writeFileSync(file('token.txt'), `${tokenOf('signing-service', SERVICE, authority).toString('base64')}\n`);
    if (!existsSync(file('auth.key'))) writeFileSync(file('auth.key'), SERVICE.seed.toString('hex'), { mode: 0o600 });
  };

  async function start(mode: string, guard?: ReplayGuard): Promise<string> {
    const environment = {
      SIGNING_DRAIN_DELAY_MS: '0',
      SIGNING_AUDIT_FILE: file('audit.jsonl'),
      SIGNING_AUTH: mode,
      ...(mode !== 'off' && {
        SIGNING_AUTH_AUTHORITIES_FILE: file('authorities.txt'),
        SIGNING_AUTH_KEY_FILE: file('auth.key'),
        SIGNING_AUTH_TOKEN_FILE: file('token.txt'),
      }),
    };
    service = await startSampleHere(environment, { sink, log, ...(guard !== undefined && { guard }) });
    return service.url;
  }

  function newRequest(authority = AUTHORITY, time = Date.now()): { readonly message: Buffer; readonly nonce: Buffer } {
    const nonce = newNonce();
    const token = tokenOf('desk-1', CLIENT, authority);
    const claims = { token, servicePublicKey: SERVICE.publicKey, time: time / 1000, nonce };
    return { message: signRequest(CLIENT, claims, { method: 'GET', target: '/api/v1/status', body: '' }), nonce };
  }

  async function send(
    url: string,
    authority = AUTHORITY,
    { message, nonce } = newRequest(authority),
  ): Promise<{ readonly status: number; readonly issue: string | null; readonly body: string }> {
    const headers = { 'Signing-Request-Auth': message.toString('base64') };
    const response = await fetch(`${url}/api/v1/status`, { headers });
    const header = response.headers.get('Signing-Response-Auth') ?? undefined;
    const result = { status: response.status, body: await response.text(), header };
    const trust = { authority: authority.publicKey, servicePublicKey: SERVICE.publicKey, now: Date.now() };
    return { status: response.status, body: result.body, issue: findResponseIssue(message, nonce, result, trust) };
  }

  it('is off with SIGNING_AUTH=off', async () => {
    const url = await start('off');
    expect((await fetch(`${url}/api/v1/status`)).status).to.equal(200);
    const ready = (await (await fetch(`${url}/readyz`)).json()) as { data: { checks: object; facts: object } };
    expect(ready.data.checks).not.to.have.property('authentication');
    expect(ready.data.facts).not.to.have.property('authentication');
  });

  for (const name of ['auth.key', 'authorities.txt', 'token.txt']) {
    it(`does not start without ${name}, names the file and the remedy, and records nothing`, async () => {
      writeFiles();
      rmSync(file(name));
      const error = await start('required').then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).to.have.property('name', 'OperatorError');
      expect(String(error)).to.include(name).and.include('signing-service token');
      expect(sink.entries).to.deep.equal([]);
    });
  }

  it('authenticates callers, signs its responses and shows its identity in the status', async () => {
    writeFiles();
    const url = await start('required', settledReplayGuard(new SystemClock()));
    expect(await send(url)).to.include({ status: 200, issue: null });
    expect((await fetch(`${url}/api/v1/status`)).status).to.equal(401);
    const ready = await (await fetch(`${url}/readyz`)).text();
    expect(ready).to.include('"authentication":{"ok":true}').and.not.include(bs58.encode(SERVICE.publicKey));
    const { body } = await send(url);
    expect(body).to.include('"authentication":{"mode":"required"').and.include(bs58.encode(SERVICE.publicKey));
  });

  it('is not ready after a start without Redis, refuses requests, and logs until when and why', async () => {
    writeFiles();
    const url = await start('required');
    const { status, body } = await send(url);
    expect(status).to.equal(503);
    expect(body).to.include('"reason":"REPLAY_GUARD_UNAVAILABLE"').and.include('NOT_READY');
    expect((await fetch(`${url}/readyz`)).status).to.equal(503);
    const [warning] = log.events.filter(({ message }) => message.includes('nonces'));
    expect(warning?.level).to.equal('warn');
    expect(warning?.message).to.match(/ unknown, .+ made until [\dT:.-]+Z are rejected\. With SIGNING_REDIS_URL/);
  });

  it('loads a new authority and token when their files change, and on reload', async () => {
    writeFiles();
    const url = await start('required', settledReplayGuard(new SystemClock()));
    const other = new TestKey(0xa2);
    writeFiles(other);
    await until(async () => expect((await send(url, other)).issue).to.equal(null));
    expect((await send(url)).status).to.equal(401);

    writeFiles();
    await service?.reload();
    expect(await send(url)).to.include({ status: 200, issue: null });
  });

  it('does not log its key', async () => {
    writeFiles();
    await send(await start('required'));
    const texts = JSON.stringify([log.events, sink.entries]);
    expect(texts).not.to.include(readFileSync(file('auth.key'), 'utf8'));
    expect(texts).not.to.include(SERVICE.seed.toString('base64'));
  });

  describe('restarted without Redis', () => {
    let clock: FixedClock;
    let copies: string;

    beforeEach(async () => {
      clock = new FixedClock(Date.now());
      copies = mkdtempSync(join(tmpdir(), 'signing-service-killed-'));
      writeFiles();
      await runCommand(environmentIn(folder), 'init');
    });
    afterEach(() => rmSync(copies, { recursive: true }));

    const environmentIn = (home: string) => ({
      ...settingsIn(home),
      SIGNING_DRAIN_DELAY_MS: '0',
      SIGNING_AUTH: 'required',
      SIGNING_AUTH_AUTHORITIES_FILE: join(home, 'authorities.txt'),
      SIGNING_AUTH_KEY_FILE: join(home, 'auth.key'),
      SIGNING_AUTH_TOKEN_FILE: join(home, 'token.txt'),
    });

    /** Starts the service with its files in a folder, a second after the last step. */
    async function startIn(home: string): Promise<string> {
      clock.advance(1000);
      service = await startHere(environmentIn(home), { clock, log });
      return service.url;
    }

    async function stop(): Promise<void> {
      await service?.stop();
      service = null;
    }

    /** The files as a kill at this time leaves them. */
    function filesNow(name: string): string {
      cpSync(folder, join(copies, name), { recursive: true });
      return join(copies, name);
    }

    const fresh = () => newRequest(AUTHORITY, clock.now());

    it('accepts new requests at once after a graceful stop, and no replay', async () => {
      const url = await startIn(folder);
      clock.advance(TIME_WINDOW_MS + 1);
      const delayed = fresh();
      const requests = [fresh(), newRequest(AUTHORITY, clock.now() + TIME_WINDOW_MS)];
      for (const request of requests) expect((await send(url, AUTHORITY, request)).status).to.equal(200);
      await stop();
      const next = await startIn(folder);
      expect(await (await fetch(`${next}/readyz`)).text()).to.include('"authentication":{"ok":true}');
      for (const request of [fresh(), delayed]) expect((await send(next, AUTHORITY, request)).status).to.equal(200);
      for (const request of requests) {
        const { status, body } = await send(next, AUTHORITY, request);
        expect(status).to.equal(401);
        expect(body).to.include('"reason":"REPLAYED"');
      }
    });

    it('accepts nothing for 30 seconds after a kill, also if the start before followed a graceful stop', async () => {
      const url = await startIn(folder);
      clock.advance(TIME_WINDOW_MS + 1);
      expect((await send(url, AUTHORITY, fresh())).status).to.equal(200);
      const first = filesNow('first');
      await stop();
      await startIn(folder);
      const second = filesNow('second');
      await stop();
      for (const home of [first, second]) {
        const next = await startIn(home);
        const { status, body } = await send(next, AUTHORITY, fresh());
        expect(status, home).to.equal(503);
        expect(body).to.include('REPLAY_GUARD_UNAVAILABLE');
        clock.advance(TIME_WINDOW_MS + 1);
        expect((await send(next, AUTHORITY, fresh())).status, home).to.equal(200);
        await stop();
      }
    });
  });
});
