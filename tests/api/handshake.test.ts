import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { issueToken, signRequest, TestKey } from '../authentication/parties.ts';
import { listedAccounts } from '../doubles/listed-accounts.ts';
import { AUTHORITY, clientClaims, exchange, SERVICE, startAuthenticatedService } from './authenticated-service.ts';
import { expectError } from './envelope-checks.ts';
import type { RunningService } from './harness.ts';
import { openSocket, readResponse } from './raw-client.ts';
import { DATA_A } from './sample-accounts.ts';

const SIGN = { method: 'POST', target: '/api/v1/sign' };
const BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

describe('The handshake with a client that shares no code with the service', () => {
  let service: RunningService;
  afterEach(() => service.close());

  describe('where callers have to say who they are', () => {
    beforeEach(async () => {
      service = await startAuthenticatedService();
    });

    it("signs for a client who proves who he is, who can prove that the answer is the service's", async () => {
      const answer = await exchange(service, { ...SIGN, body: BODY });
      expect(answer.status).to.equal(200);
      expect(answer.json.data.signature).to.be.a('string');
      expect(answer.fault).to.equal(null);
    });

    it('holds no byte of a body for somebody whose token no authority signed, or is for another service, old or not of now', async () => {
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

    it('puts the name in the token on the audit record', async () => {
      await exchange(service, { ...SIGN, body: BODY });
      const [entry] = service.records.entries.filter(({ event }) => event === 'sign');
      expect(entry).to.include({ principal: 'desk-1', outcome: 'success' });
    });

    for (const target of [
      '/api/v1/status',
      '/api/v1/accounts',
      '/api/v1/accounts?platform=alpha',
      '/api/v1/accounts/alpha/main',
    ]) {
      it(`answers GET ${target}`, async () => {
        const answer = await exchange(service, { target });
        expect(answer.status).to.equal(200);
        expect(answer.fault).to.equal(null);
      });
    }

    it('reloads, and says on record for whom', async () => {
      const answer = await exchange(service, { method: 'POST', target: '/api/v1/config/reload' });
      expect(answer.status).to.equal(200);
      expect(answer.fault).to.equal(null);
      expect(service.records.entries.find(({ event }) => event === 'reload')?.principal).to.equal('desk-1');
    });

    it('refuses a compressed body only once its caller is known', async () => {
      const headers = { 'Content-Encoding': 'gzip' };
      const answer = await exchange(service, { ...SIGN, body: gzipSync(BODY), headers });
      expect(answer.status).to.equal(415);
      expect(answer.fault).to.equal(null);
    });

    it('takes the body of a request that needs none, and looks at it', async () => {
      const answer = await exchange(service, {
        method: 'POST',
        target: '/api/v1/config/reload',
        body: '{"any":"thing"}',
      });
      expect(answer.status).to.equal(200);
    });

    it('signs an answer to HEAD over no body', async () => {
      const answer = await exchange(service, { method: 'HEAD' });
      expect(answer.status).to.equal(200);
      expect(answer.text).to.equal('');
      expect(answer.fault).to.equal(null);
    });

    const errors: readonly [title: string, status: number, sent: Parameters<typeof exchange>[1]][] = [
      ['a path with nothing at it', 404, { target: '/api/v1/nothing' }],
      ['an account that does not exist', 404, { target: '/api/v1/accounts/alpha/none' }],
      ['a method that the path does not take', 405, { method: 'DELETE', target: '/api/v1/sign' }],
      ['a body that is no JSON', 400, { ...SIGN, body: '{' }],
      ['a body in another form', 415, { ...SIGN, body: BODY, headers: { 'Content-Type': 'text/plain' } }],
      ['an account that is disabled', 423, { ...SIGN, body: BODY.replace('"main"', '"idle"') }],
    ];
    for (const [title, status, sent] of errors) {
      it(`signs the answer ${status} to ${title}`, async () => {
        const answer = await exchange(service, sent);
        expect(answer.status).to.equal(status);
        expect(answer.fault).to.equal(null);
      });
    }

    it('signs the answer 503 to a request that it knows and has no room for', async () => {
      await service.close();
      service = await startAuthenticatedService({
        replace: () => ({ signing: { sign: () => new Promise(() => undefined) } }),
        maxInFlight: 4,
        maxQueue: 1,
      });
      // It is never done, and takes the only place.
      exchange(service, { ...SIGN, body: BODY }).catch(() => undefined);
      const answer = await exchange(service, { ...SIGN, body: BODY });
      expect(answer.status).to.equal(503);
      expect(answer.json.error.code).to.equal('OVERLOADED');
      expect(answer.fault).to.equal(null);
    });

    it('signs the answer 429 to a caller who asks for too much, and takes that request no more', async () => {
      await service.close();
      service = await startAuthenticatedService({ perCaller: { points: 2, windowSeconds: 10 } });
      for (const status of [200, 200]) expect((await exchange(service)).status).to.equal(status);
      const claims = clientClaims(service.clock.now());
      const limited = await exchange(service, { claims });
      expect(limited.status).to.equal(429);
      expect(limited.fault).to.equal(null);
      service.clock.advance(10_000);
      const again = await exchange(service, { claims });
      expect(again.json.error.details).to.deep.equal({ reason: 'REPLAYED' });
      expect((await exchange(service)).status).to.equal(200);
    });

    it('signs a list that is sent in slices', async () => {
      await service.close();
      service = await startAuthenticatedService({
        replace: ({ accounts }) => ({ accounts: { ...listedAccounts(2500), page: accounts.page } }),
      });
      const answer = await exchange(service, { target: '/api/v1/accounts' });
      expect(answer.json.data.total).to.equal(2500);
      expect(answer.json.data.accounts).to.have.length(2500);
      expect(answer.fault).to.equal(null);
    });

    it('answers health to everybody', async () => {
      for (const target of ['/healthz', '/readyz']) {
        const answer = await exchange(service, { target, header: null });
        expect(answer.status).to.equal(200);
      }
    });

    for (const [method, target] of [
      ['GET', '/api/v1/status'],
      ['POST', '/api/v1/sign'],
      ['GET', '/none'],
      ['PUT', '/api/v1/sign'],
    ] as const) {
      it(`refuses ${method} ${target} without the header`, async () => {
        const answer = await exchange(service, {
          method,
          target,
          header: null,
          ...(method === 'POST' && { body: BODY }),
        });
        expect(answer.status).to.equal(401);
        expect(answer.json.error).to.deep.include({
          code: 'UNAUTHENTICATED',
          details: { reason: 'AUTHENTICATION_REQUIRED' },
        });
        expect(answer.headers.get('WWW-Authenticate')).to.equal('Signing-Request-Auth');
        expect(answer.headers.has('Signing-Response-Auth')).to.equal(false);
      });
    }

    it('puts refused requests to sign, to verify and to reload on the audit record', async () => {
      for (const path of ['sign', 'sign/batch', 'verify', 'config/reload']) {
        await exchange(service, { method: 'POST', target: `/api/v1/${path}`, header: null, body: BODY });
      }
      const refused = service.records.entries.filter(({ errorCode }) => errorCode === 'UNAUTHENTICATED');
      expect(refused.map(({ event }) => event)).to.deep.equal(['sign', 'sign', 'verify', 'reload']);
      for (const entry of refused) expect(entry).to.include({ outcome: 'refused', principal: null, data: null });
    });
  });

  it('puts no call of the reload with another method on the audit record', async () => {
    service = await startAuthenticatedService();
    const answer = await exchange(service, { target: '/api/v1/config/reload' });
    expect(answer.status).to.equal(405);
    expect(answer.fault).to.equal(null);
    expect(service.records.entries).to.deep.equal([]);
  });

  describe('where callers may say who they are', () => {
    beforeEach(async () => {
      service = await startAuthenticatedService({ mode: 'optional' });
    });

    it('serves a caller without the header, without a name', async () => {
      const answer = await exchange(service, { ...SIGN, body: BODY, header: null });
      expect(answer.status).to.equal(200);
      expect(answer.headers.has('Signing-Response-Auth')).to.equal(false);
      expect(service.records.entries.at(-1)).to.include({ event: 'sign', principal: null });
    });

    it('passes over the body of such a caller where it is not used', async () => {
      const body = 'x'.repeat(1_000_000);
      const answer = await exchange(service, { method: 'POST', target: '/api/v1/config/reload', header: null, body });
      expect(answer.status).to.equal(200);
    });

    it('knows a caller with the header', async () => {
      const answer = await exchange(service, { ...SIGN, body: BODY });
      expect(answer.fault).to.equal(null);
      expect(service.records.entries.at(-1)).to.include({ event: 'sign', principal: 'desk-1' });
    });

    it('refuses a caller with a wrong header', async () => {
      const answer = await exchange(service, { ...SIGN, body: BODY, header: 'AAAA' });
      expect(answer.status).to.equal(401);
      expect(answer.json.error.details).to.deep.equal({ reason: 'MALFORMED' });
    });
  });

  describe('where nobody asks', () => {
    it('passes over the header', async () => {
      service = await startAuthenticatedService({ replace: () => ({ authentication: null }) });
      const answer = await exchange(service, { ...SIGN, body: BODY, header: 'AAAA' });
      expect(answer.status).to.equal(200);
      expect(answer.headers.has('Signing-Response-Auth')).to.equal(false);
    });
  });

  describe('where nobody can tell whether a request came before', () => {
    it('is not ready for it, and says when to come again', async () => {
      service = await startAuthenticatedService({
        guard: () => ({ claim: async () => 'unavailable', fault: async () => null }),
      });
      const answer = await exchange(service, { ...SIGN, body: BODY });
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('Retry-After')).to.equal('1');
      expect(answer.json.error.code).to.equal('NOT_READY');
      expect(answer.json.error.details).to.deep.equal({ reason: 'REPLAY_GUARD_UNAVAILABLE', retryAfterSeconds: 1 });
      expect(answer.fault).to.equal('not signed');
    });
  });

  it('believes each of several authorities, and tokens that it knows already', async () => {
    service = await startAuthenticatedService({ authorities: [SERVICE.publicKey, AUTHORITY.publicKey] });
    for (let round = 0; round < 3; round += 1) {
      const answer = await exchange(service, { claims: clientClaims(service.clock.now()) });
      expect(answer.fault).to.equal(null);
    }
  });
});
