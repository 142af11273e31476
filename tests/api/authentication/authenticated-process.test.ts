import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SystemClock } from '../../../src/adapters/node/system-clock.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { TIME_WINDOW_MS } from '../../../src/domain/model/authentication.ts';
import type { ReplayGuard } from '../../../src/ports/replay-guard.ts';
import { TestKey } from '../../authentication/parties.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { settledReplayGuard } from '../../doubles/settled-replay-guard.ts';
import { newCall, sendCall, writeAuthFiles } from '../../harness/authenticated-caller.ts';
import { SERVICE } from '../../harness/authenticated-service.ts';
import { bs58 } from '../../harness/base58.ts';
import { copyFolder } from '../../harness/copy-folder.ts';
import { runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere, startSampleHere } from '../../harness/start-here.ts';
import { until } from '../../redis/until.ts';

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

  async function start(guard?: ReplayGuard, missing?: string): Promise<string> {
    const environment = {
      ...writeAuthFiles(folder),
      SIGNING_DRAIN_DELAY_MS: '0',
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
    };
    if (missing !== undefined) rmSync(join(folder, missing));
    service = await startSampleHere(environment, { sink, log, ...(guard !== undefined && { guard }) });
    return service.url;
  }

  for (const name of ['auth.key', 'authorities.txt', 'token.txt']) {
    it(`does not start without ${name}, names the file and the remedy, and records nothing`, async () => {
      const error = await start(undefined, name).catch((reason: unknown) => reason);
      expect(error).to.have.property('name', 'OperatorError');
      expect(String(error)).to.include(name).and.include('signing-service token');
      expect(sink.entries).to.deep.equal([]);
    });
  }

  it('authenticates callers, signs its responses and shows its identity in the status, but no key', async () => {
    const url = await start(settledReplayGuard(new SystemClock()));
    const { body, ...sent } = await sendCall(url);
    expect(sent).to.include({ status: 200, issue: null });
    expect((await fetch(`${url}/api/v1/status`)).status).to.equal(401);
    const ready = await (await fetch(`${url}/readyz`)).text();
    expect(ready).to.include('"authentication":{"ok":true}').and.not.include(bs58.encode(SERVICE.publicKey));
    expect(body).to.include('"authentication":{"mode":"required"').and.include(bs58.encode(SERVICE.publicKey));
    const texts = JSON.stringify([log.events, sink.entries]);
    for (const encoding of ['hex', 'base64'] as const) expect(texts).not.to.include(SERVICE.seed.toString(encoding));
  });

  it('is not ready after a start without Redis, refuses requests, and logs until when and why', async () => {
    const url = await start();
    const { status, reason, body } = await sendCall(url);
    expect([status, reason]).to.deep.equal([503, 'REPLAY_GUARD_UNAVAILABLE']);
    expect(body).to.include('NOT_READY');
    expect((await fetch(`${url}/readyz`)).status).to.equal(503);
    const [warning] = log.events.filter(({ message }) => message.includes('nonces'));
    expect(warning?.level).to.equal('warn');
    expect(warning?.message).to.match(/ unknown, .+ made until [\dT:.-]+Z are rejected\. With SIGNING_REDIS_URL/);
  });

  it('loads a new authority and token when their files change, and on reload', async () => {
    const url = await start(settledReplayGuard(new SystemClock()));
    const other = new TestKey(0xa2);
    writeAuthFiles(folder, other);
    await until(async () => expect((await sendCall(url, newCall(Date.now(), other), other)).issue).to.equal(null));
    expect((await sendCall(url)).status).to.equal(401);

    writeAuthFiles(folder);
    await service?.reload();
    expect(await sendCall(url)).to.include({ status: 200, issue: null });
  });

  describe('restarted without Redis', () => {
    let clock: FixedClock;
    let copies: string;

    beforeEach(async () => {
      clock = new FixedClock(Date.now());
      copies = mkdtempSync(join(tmpdir(), 'signing-service-killed-'));
      await runCommand(settingsIn(folder), 'init');
    });
    afterEach(() => rmSync(copies, { recursive: true }));

    /** Starts the service with its files in a folder, a second after the last step. */
    async function startIn(home: string): Promise<string> {
      clock.advance(1000);
      const environment = { ...settingsIn(home), ...writeAuthFiles(home), SIGNING_DRAIN_DELAY_MS: '0' };
      service = await startHere(environment, { clock, log });
      return service.url;
    }

    async function stop(): Promise<void> {
      await service?.stop();
      service = null;
    }

    /** The files as a kill at this time leaves them. */
    function filesNow(name: string): string {
      mkdirSync(join(copies, name));
      copyFolder(folder, join(copies, name));
      return join(copies, name);
    }

    const fresh = () => newCall(clock.now());

    it('accepts new requests at once after a graceful stop, and no replay', async () => {
      const url = await startIn(folder);
      clock.advance(TIME_WINDOW_MS + 1);
      const delayed = fresh();
      const requests = [fresh(), newCall(clock.now() + TIME_WINDOW_MS)];
      for (const request of requests) expect((await sendCall(url, request)).status).to.equal(200);
      await stop();
      const next = await startIn(folder);
      expect(await (await fetch(`${next}/readyz`)).text()).to.include('"authentication":{"ok":true}');
      for (const request of [fresh(), delayed]) expect((await sendCall(next, request)).status).to.equal(200);
      for (const request of requests) {
        expect(await sendCall(next, request)).to.include({ status: 401, reason: 'REPLAYED' });
      }
    });

    it('accepts nothing for 30 seconds after a kill, also if the start before followed a graceful stop', async () => {
      const url = await startIn(folder);
      clock.advance(TIME_WINDOW_MS + 1);
      expect((await sendCall(url, fresh())).status).to.equal(200);
      const first = filesNow('first');
      await stop();
      await startIn(folder);
      const second = filesNow('second');
      await stop();
      for (const home of [first, second]) {
        const next = await startIn(home);
        const refused = { status: 503, reason: 'REPLAY_GUARD_UNAVAILABLE' };
        expect(await sendCall(next, fresh()), home).to.include(refused);
        clock.advance(TIME_WINDOW_MS + 1);
        expect((await sendCall(next, fresh())).status, home).to.equal(200);
        await stop();
      }
    });
  });
});
