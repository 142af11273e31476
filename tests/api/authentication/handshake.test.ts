import { mock } from 'node:test';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { issueToken, signRequest, TestKey } from '../../authentication/parties.ts';
import { listedAccounts } from '../../doubles/listed-accounts.ts';
import { settledReplayGuard } from '../../doubles/settled-replay-guard.ts';
import {
  AUTHORITY,
  clientClaims,
  exchange,
  SERVICE,
  startAuthenticatedService,
} from '../../harness/authenticated-service.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { openSocket, readResponse } from '../../harness/raw-client.ts';
import type { RunningService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { until } from '../../redis/until.ts';

const SIGN = { method: 'POST', target: '/api/v1/sign' };
const BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

describe('Mutual authentication with an independent client', () => {
  let service: RunningService;
  afterEach(async () => {
    mock.timers.reset();
    await service.close();
  });

  describe('when it is required', () => {
    beforeEach(async () => {
      service = await startAuthenticatedService();
    });

    it('signs and records for an authenticated client, which can verify the response', async () => {
      const result = await exchange(service, { ...SIGN, body: BODY });
      expect(result.status).to.equal(200);
      expect(result.json.data.signature).to.be.a('string');
      expect(result.issue).to.equal(null);
      expect(service.records.entries.at(-1)).to.include({ event: 'sign', principal: 'desk-1', outcome: 'success' });
    });

    it('rejects an unknown authority, another service or an old time before the body arrives', async () => {
      const stranger = new TestKey(0x77);
      const claims = clientClaims(service.clock.now());
      const own = { username: 'desk-1', publicKey: stranger.publicKey, expirationTime: '2027-01-01T00:00:00Z' };
      for (const [wrong, reason] of [
        [{ ...claims, token: issueToken(stranger, own) }, 'UNKNOWN_AUTHORITY'],
        [{ ...claims, servicePublicKey: stranger.publicKey }, 'WRONG_SERVICE'],
        [{ ...claims, time: claims.time - 3600 }, 'TIME_OUT_OF_WINDOW'],
      ] as const) {
        const header = signRequest(stranger, wrong, { ...SIGN, body: '' }).toString('base64');
        const socket = await openSocket(service.port);
        const response = readResponse(socket);
        socket.write(
          `POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nSigning-Request-Auth: ${header}\r\n\r\n{`,
        );
        const { details } = expectError(await response, 401, 'UNAUTHENTICATED');
        expect(details).to.include({ reason });
        socket.destroy();
      }
    });

    it('responds to reading calls', async () => {
      const list = '/api/v1/accounts';
      for (const target of ['/api/v1/status', list, `${list}?platform=alpha`, `${list}/alpha/main`]) {
        const { status, issue } = await exchange(service, { target });
        expect({ status, issue }, target).to.deep.equal({ status: 200, issue: null });
      }
    });

    it('reloads, and records the caller', async () => {
      const result = await exchange(service, { method: 'POST', target: '/api/v1/config/reload' });
      expect(result.status).to.equal(200);
      expect(result.issue).to.equal(null);
      expect(service.records.entries.find(({ event }) => event === 'reload')?.principal).to.equal('desk-1');
    });

    it('authenticates the body of a request that does not use it', async () => {
      const result = await exchange(service, {
        method: 'POST',
        target: '/api/v1/config/reload',
        body: '{"any":"thing"}',
      });
      expect(result.status).to.equal(200);
    });

    it('holds no memory for a body that is not used', async () => {
      const release = service.credentials.hold();
      const reload = exchange(service, { method: 'POST', target: '/api/v1/config/reload', body: 'x'.repeat(20_000) });
      while (service.credentials.loads < 2) await new Promise((resolve) => setTimeout(resolve, 2));
      const { json } = await exchange(service);
      release();
      expect(json.data).to.have.nested.property('load.heldBytes', 0);
      expect((await reload).status).to.equal(200);
    });

    it('signs a response to HEAD over an empty body', async () => {
      const result = await exchange(service, { method: 'HEAD' });
      expect(result.status).to.equal(200);
      expect(result.text).to.equal('');
      expect(result.issue).to.equal(null);
    });

    const errors: readonly [title: string, status: number, sent: Parameters<typeof exchange>[1]][] = [
      ['an unknown path', 404, { target: '/api/v1/nothing' }],
      ['an account that does not exist', 404, { target: '/api/v1/accounts/alpha/none' }],
      ['a method that the path does not allow', 405, { method: 'DELETE', target: '/api/v1/sign' }],
      ['a body that is not JSON', 400, { ...SIGN, body: '{' }],
      ['a body of another media type', 415, { ...SIGN, body: BODY, headers: { 'Content-Type': 'text/plain' } }],
      ['a compressed body', 415, { ...SIGN, body: gzipSync(BODY), headers: { 'Content-Encoding': 'gzip' } }],
      ['an account that is disabled', 423, { ...SIGN, body: BODY.replace('"main"', '"idle"') }],
    ];
    for (const [title, status, sent] of errors) {
      it(`signs the ${status} response to ${title}`, async () => {
        const result = await exchange(service, sent);
        expect(result.status).to.equal(status);
        expect(result.issue).to.equal(null);
      });
    }

    it('signs a 503 OVERLOADED response', async () => {
      await service.close();
      service = await startAuthenticatedService({
        replace: () => ({ signing: { sign: () => new Promise(() => undefined) } }),
        maxInFlight: 4,
        maxQueue: 1,
      });
      // It never completes, and takes the only permit.
      exchange(service, { ...SIGN, body: BODY }).catch(() => undefined);
      mock.timers.enable({ apis: ['setTimeout'] });
      const waiting = exchange(service, { ...SIGN, body: BODY });
      await until(async () => expect((await exchange(service)).text).to.include('"queued":1'));
      mock.timers.tick(1000);
      const result = await waiting;
      expect(result.status).to.equal(503);
      expect(result.json.error.code).to.equal('OVERLOADED');
      expect(result.issue).to.equal(null);
    });

    it('signs a 429 response to a caller over its limit, and rejects a replay of that request', async () => {
      await service.close();
      service = await startAuthenticatedService({ perCaller: { points: 2, windowSeconds: 10 } });
      for (const status of [200, 200]) expect((await exchange(service)).status).to.equal(status);
      const claims = clientClaims(service.clock.now());
      const limited = await exchange(service, { claims });
      expect(limited.status).to.equal(429);
      expect(limited.issue).to.equal(null);
      service.clock.advance(11_000);
      const again = await exchange(service, { claims });
      expect(again.json.error.details).to.deep.equal({ reason: 'REPLAYED' });
      expect((await exchange(service)).status).to.equal(200);
    });

    it('signs a streamed list', async () => {
      await service.close();
      service = await startAuthenticatedService({
        replace: ({ accounts }) => ({ accounts: { ...listedAccounts(2500), page: accounts.page } }),
      });
      const result = await exchange(service, { target: '/api/v1/accounts' });
      expect(result.json.data.total).to.equal(2500);
      expect(result.json.data.accounts).to.have.length(2500);
      expect(result.issue).to.equal(null);
    });

    it('refuses every request without the header, also on other paths and methods', async () => {
      for (const [method, target, body] of [
        ['GET', '/api/v1/status', ''],
        ['POST', '/api/v1/sign', BODY],
        ['GET', '/none', ''],
        ['PUT', '/api/v1/sign', ''],
      ] as const) {
        const result = await exchange(service, { method, target, header: null, body });
        expect(result.status, target).to.equal(401);
        const details = { reason: 'AUTHENTICATION_REQUIRED' };
        expect(result.json.error).to.deep.include({ code: 'UNAUTHENTICATED', details });
        expect(result.headers.get('WWW-Authenticate')).to.equal('Signing-Request-Auth');
        expect(result.headers.has('Signing-Response-Auth')).to.equal(false);
      }
    });

    it('records refused requests to sign, verify and reload', async () => {
      for (const path of ['sign', 'sign/batch', 'verify', 'config/reload']) {
        await exchange(service, { method: 'POST', target: `/api/v1/${path}`, header: null, body: BODY });
      }
      const refused = service.records.entries.filter(({ errorCode }) => errorCode === 'UNAUTHENTICATED');
      expect(refused.map(({ event }) => event)).to.deep.equal(['sign', 'sign', 'verify', 'reload']);
      for (const entry of refused) expect(entry).to.include({ outcome: 'refused', principal: null, data: null });
    });
  });

  describe('when it is optional', () => {
    beforeEach(async () => {
      service = await startAuthenticatedService({ mode: 'optional' });
    });

    it('serves a caller without the header anonymously', async () => {
      const result = await exchange(service, { ...SIGN, body: BODY, header: null });
      expect(result.status).to.equal(200);
      expect(result.headers.has('Signing-Response-Auth')).to.equal(false);
      expect(service.records.entries.at(-1)).to.include({ event: 'sign', principal: null });
    });

    it('identifies a caller with the header, and refuses one with an invalid header', async () => {
      const result = await exchange(service, { ...SIGN, body: BODY });
      expect(result.issue).to.equal(null);
      expect(service.records.entries.at(-1)).to.include({ event: 'sign', principal: 'desk-1' });
      const { status, json } = await exchange(service, { ...SIGN, body: BODY, header: 'AAAA' });
      expect([status, json.error.details]).to.deep.equal([401, { reason: 'MALFORMED' }]);
    });
  });

  describe('when it is off', () => {
    it('ignores the header', async () => {
      service = await startAuthenticatedService({ replace: () => ({ authentication: null }) });
      const result = await exchange(service, { ...SIGN, body: BODY, header: 'AAAA' });
      expect(result.status).to.equal(200);
      expect(result.headers.has('Signing-Response-Auth')).to.equal(false);
    });
  });

  describe('when the replay guard is unavailable', () => {
    it('responds NOT_READY with Retry-After', async () => {
      service = await startAuthenticatedService({
        guard: (clock) => ({ ...settledReplayGuard(clock), claim: async () => 'unavailable' }),
      });
      const result = await exchange(service, { ...SIGN, body: BODY });
      expect(result.status).to.equal(503);
      expect(result.headers.get('Retry-After')).to.equal('1');
      expect(result.json.error.code).to.equal('NOT_READY');
      expect(result.json.error.details).to.deep.equal({ reason: 'REPLAY_GUARD_UNAVAILABLE', retryAfterSeconds: 1 });
      expect(result.issue).to.equal('not signed');
    });
  });

  it('trusts several authorities and cached tokens', async () => {
    service = await startAuthenticatedService({ authorities: [SERVICE.publicKey, AUTHORITY.publicKey] });
    for (let round = 0; round < 3; round += 1) {
      const result = await exchange(service, { claims: clientClaims(service.clock.now()) });
      expect(result.issue).to.equal(null);
    }
  });
});
