import { expect } from 'chai';
import request from 'supertest';
import { SodiumSignatureVerifier } from '../../../src/adapters/auth/sodium-signature-verifier.ts';
import type { RequestCheck } from '../../../src/adapters/http/middleware/entry-checks.ts';
import { refuseRequest } from '../../../src/adapters/http/refusals.ts';
import type { AuditEntry } from '../../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import type { SignatureVerifier } from '../../../src/ports/authentication.ts';
import {
  AUTHORITY,
  type AuthenticatedParts,
  exchange as exchangeProofs,
  type Sending,
  startAuthenticatedService,
} from '../../harness/authenticated-service.ts';
import { expectData, expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const LIMIT = { points: 5, windowSeconds: 10 };

/** When a charge at the start of a part has left the window: a tenth of it later. */
const LEFT_MS = 11_000;

const SINGLE = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** Trusts a header for the caller's name; `nobody` fails. */
const identifyOrRefuse: RequestCheck = (received, response) => {
  if (received.get(CALLER) === 'nobody') {
    response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
    return refuseRequest('ClientCertificateNotTaken', { reason: 'CLIENT_CERTIFICATE_REQUIRED' });
  }
  return identify(received, response);
};

const batchOf = (items: number) => ({
  requests: Array.from({ length: items }, (_, index) => ({ requestId: `${index}`, ...SINGLE })),
});

describe('Rate limits', () => {
  let service: RunningService;

  afterEach(() => service.close());

  const start = async (parts: ServiceParts) => {
    service = await startService(parts);
  };
  const post = async (path: string, body: object): Promise<ReceivedResponse> =>
    request(service.server).post(`/api/v1${path}`).send(body);
  const get = async (path: string): Promise<ReceivedResponse> => request(service.server).get(path);
  const sign = () => post('/sign', SINGLE);
  const times = async (count: number, ask: () => Promise<ReceivedResponse>) => {
    const responses: ReceivedResponse[] = [];
    for (let nth = 0; nth < count; nth += 1) responses.push(await ask());
    return responses;
  };
  const spend = async (points: number) => {
    for (const response of await times(points, sign)) expectData(response);
  };
  const recorded = (): readonly Pick<AuditEntry, 'event' | 'outcome' | 'errorCode'>[] =>
    service.records.entries.map(({ event, outcome, errorCode }) => ({ event, outcome, errorCode }));

  /** Checks a 429 of the caller's limit and its times. */
  function expectLimited(response: ReceivedResponse, retryAfterMs: number): void {
    const { details } = expectError(response, 429, 'RATE_LIMITED');
    expect(details).to.deep.equal({ retryAfterMs, limit: 5, windowSeconds: 10, scope: 'caller' });
    expect(response.headers['retry-after']).to.equal(String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  }

  describe('per caller', () => {
    beforeEach(() => start({ perCaller: LIMIT }));

    it('refuse requests over the limit with 429 RATE_LIMITED and Retry-After', async () => {
      await spend(5);
      expectLimited(await sign(), LEFT_MS);
      service.clock.advance(LEFT_MS - 100);
      expectLimited(await sign(), 100);
      service.clock.advance(100);
      await spend(5);
      expectLimited(await sign(), LEFT_MS);
    });

    it('count every request except health', async () => {
      const asks = [
        () => post('/verify', { ...SINGLE, signature: 'x' }),
        () => get('/api/v1/accounts'),
        () => get('/api/v1/accounts/alpha/main'),
        () => get('/api/v1/status'),
        () => post('/config/reload', {}),
        () => get('/api/v1/nothing'),
        () => get('/api/v1/sign'),
        () => post('/sign', { wrong: true }),
        () => post('/sign/batch', { requests: [] }),
      ];
      for (const ask of asks) {
        service.clock.advance(LEFT_MS);
        for (const { status } of await times(5, ask)) expect(status).not.to.equal(429);
        for (const response of [await ask(), await sign()]) expectLimited(response, LEFT_MS);
        for (const path of ['/healthz', '/readyz']) expectData(await get(path));
      }
    });

    it('record nothing, are counted in the status and logged once', async () => {
      await spend(5);
      const refused = await times(20, sign);
      for (const response of refused) expectLimited(response, LEFT_MS);
      for (const ask of [() => post('/sign', { wrong: 1 }), () => get('/api/v1/sign'), () => post('/verify', {})]) {
        expectLimited(await ask(), LEFT_MS);
      }
      expect(recorded()).to.have.length(5);
      const lines = service.log.events.filter(({ message }) => message.includes('RATE_LIMITED'));
      expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
      service.clock.advance(LEFT_MS);
      const { load, rateLimits } = expectData<{ load: JsonObject; rateLimits: unknown }>(await get('/api/v1/status'));
      expect(load).to.include({ rateLimited: 23, refused: 0 });
      expect(rateLimits).to.deep.equal({
        ...{ perCaller: 5, perAccount: null, windowSeconds: 10 },
        ...{ shared: false, state: 'current', apartSince: null, reason: null },
      });
    });

    it('do not read refused bodies', async () => {
      await spend(5);
      const response = await exchange(service.port, postBytes('/api/v1/sign', '{"no json'));
      expectLimited(response, LEFT_MS);
    });

    it('refuse a whole batch over the remaining points, and accept it after the given time', async () => {
      await spend(3);
      service.clock.advance(5000);
      // Two are left, and one of them is taken; the retry needs four.
      expectLimited(await post('/sign/batch', batchOf(4)), LEFT_MS - 5000);
      expect(recorded()).to.have.length(3);
      service.clock.advance(LEFT_MS - 5000);
      expectData(await post('/sign/batch', batchOf(4)));
    });

    it('report a batch that can never fit', async () => {
      const response = await post('/sign/batch', batchOf(6));
      const { message, details } = expectError(response, 429, 'RATE_LIMITED');
      expect(details).to.deep.equal({ retryAfterMs: null, limit: 5, windowSeconds: 10, scope: 'caller' });
      expect(message).to.include('send smaller batches');
      expect(response.headers).not.to.have.property('retry-after');
      expect(recorded()).to.deep.equal([]);
      await spend(4);
    });
  });

  describe('per account', () => {
    beforeEach(() => start({ perAccount: LIMIT }));

    it('refuse and record signatures over the limit with 429 RATE_LIMITED and Retry-After', async () => {
      await spend(5);
      const response = await sign();
      const { details } = expectError(response, 429, 'RATE_LIMITED');
      const limit = { limit: 5, windowSeconds: 10, scope: 'account' };
      expect(details).to.deep.equal({ platformId: 'alpha', accountId: 'main', retryAfterMs: LEFT_MS, ...limit });
      expect(response.headers['retry-after']).to.equal('11');
      expect(recorded().at(-1)).to.deep.equal({ event: 'sign', outcome: 'refused', errorCode: 'RATE_LIMITED' });
      expectData(await post('/verify', { ...SINGLE, signature: 'x' }));
      service.clock.advance(LEFT_MS);
      expectData(await sign());
    });

    it('fail the batch items over the limit and sign the others', async () => {
      const { results, summary } = expectData<{ results: readonly JsonObject[]; summary: JsonObject }>(
        await post('/sign/batch', batchOf(11)),
      );
      expect(summary).to.deep.equal({ total: 11, successful: 5, failed: 6 });
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...Array<string>(5).fill('success'),
        ...Array<string>(6).fill('failed'),
      ]);
      expect(results[9]?.['error']).to.deep.include({ code: 'RATE_LIMITED' });
      expect(results[9]?.['error']).to.have.nested.property('details.retryAfterMs', LEFT_MS);
      expect(results[10]?.['error']).to.have.nested.property('details.retryAfterMs', 2 * LEFT_MS);
    });

    it('limit batches with a permissions list, and do not count forbidden items', async () => {
      await service.close();
      await start({
        perAccount: LIMIT,
        permissions: [{ principals: ['desk'], accounts: ['alpha/main'], operations: ['sign'] }],
        replace: () => ({ callerChecks: [identifyOrRefuse] }),
      });
      const batchAs = async (name: string) => {
        const response = await request(service.server).post('/api/v1/sign/batch').set(CALLER, name).send(batchOf(7));
        const { results } = expectData<{ results: readonly { error?: { code: string } }[] }>(response);
        return results.map(({ error }) => error?.code ?? 'signed');
      };
      expect(await batchAs('stranger')).to.deep.equal(Array<string>(7).fill('FORBIDDEN'));
      const tooMany = Array<string>(2).fill('RATE_LIMITED');
      expect(await batchAs('desk')).to.deep.equal([...Array<string>(5).fill('signed'), ...tooMany]);
    });
  });

  describe('for failed authentication', () => {
    const SIGN = { method: 'POST', target: '/api/v1/sign', body: JSON.stringify(SINGLE) };
    const WRONG = 'AAAA';

    const startAsking = async (parts: AuthenticatedParts) => {
      service = await startAuthenticatedService({ failures: LIMIT, ...parts });
    };
    const send = (sending: Sending) => exchangeProofs(service, sending);
    const fail = async (sending: Sending, count: number) => {
      for (let nth = 0; nth < count; nth += 1) expect((await send(sending)).status).to.equal(401);
    };
    const expectServed = async (sending: Sending) => expect((await send(sending)).status).to.equal(200);

    /** Checks an unrecorded 429 of the limit on failed authentication. */
    async function expectNoMoreProofs(sending: Sending): Promise<void> {
      const before = recorded().length;
      const { status, headers, json } = await send(sending);
      expect(status).to.equal(429);
      const { code, details } = json.error;
      expect(code).to.equal('RATE_LIMITED');
      const limit = { limit: 5, windowSeconds: 10, scope: 'authentication' };
      expect(details).to.deep.equal({ retryAfterMs: LEFT_MS, ...limit });
      expect(headers.get('Retry-After')).to.equal('11');
      expect(recorded()).to.have.length(before);
    }

    for (const [issue, wrong] of [
      ['a wrong header', { ...SIGN, header: WRONG }],
      ['no header, on a request with an unused body', { target: '/api/v1/status', header: null }],
      ['a signature over something else', { ...SIGN, key: AUTHORITY }],
    ] as const) {
      it(`refuse the next request from that address with 429, unrecorded: ${issue}`, async () => {
        await startAsking({});
        await fail(wrong, 5);
        await expectNoMoreProofs(wrong);
        service.clock.advance(LEFT_MS);
        await fail(wrong, 5);
        await expectNoMoreProofs(wrong);
      });
    }

    for (const [title, sending] of [
      ['to sign', SIGN],
      ['with an unused body', { target: '/api/v1/status' }],
    ] as const) {
      it(`do not affect verified tokens from that address: a request ${title}`, async () => {
        await startAsking({});
        await expectServed(sending);
        await fail({ ...sending, header: WRONG }, 5);
        await expectNoMoreProofs({ ...sending, header: WRONG });
        for (let nth = 0; nth < 10; nth += 1) await expectServed(sending);
      });

      it(`do not affect anonymous callers from that address: a request ${title}`, async () => {
        await startAsking({ mode: 'optional' });
        await fail({ ...sending, header: WRONG }, 5);
        await expectNoMoreProofs({ ...sending, header: WRONG });
        for (let nth = 0; nth < 10; nth += 1) await expectServed({ ...sending, header: null });
      });

      it(`delay an unknown token without verifying a signature: a request ${title}`, async () => {
        const sodium = new SodiumSignatureVerifier();
        let verified = 0;
        const verify: SignatureVerifier['verify'] = (...signed) => {
          verified += 1;
          return sodium.verify(...signed);
        };
        await startAsking({ verifier: { verify } });
        // The start verified the service's own token.
        verified = 0;
        await fail({ ...sending, header: null }, 5);
        await expectNoMoreProofs(sending);
        expect(verified).to.equal(0);
        service.clock.advance(LEFT_MS);
        await expectServed(sending);
      });
    }

    // An observed token can be sent with any body: it costs a point like a wrong signature.
    it('count bodies that cannot be authenticated because they are too large', async () => {
      const large = { ...SIGN, body: 'x'.repeat(1_048_577) };
      await startAsking({});
      await expectServed(SIGN);
      for (let nth = 0; nth < 5; nth += 1) expect((await send(large)).status).to.equal(413);
      await expectNoMoreProofs(large);
      await expectServed(SIGN);
    });

    it('do not count other errors in bodies of authenticated callers', async () => {
      await startAsking({});
      for (let nth = 0; nth < 6; nth += 1) expect((await send({ ...SIGN, body: '{' })).status).to.equal(400);
      await expectServed(SIGN);
    });

    it('are counted in the status and logged once', async () => {
      await startAsking({});
      await expectServed({ target: '/api/v1/status' });
      await fail({ ...SIGN, header: WRONG }, 5);
      for (let nth = 0; nth < 20; nth += 1) await expectNoMoreProofs({ ...SIGN, header: WRONG });
      const { json } = await send({ target: '/api/v1/status' });
      expect(json).to.have.nested.property('data.load.rateLimited', 20);
      const lines = service.log.events.filter(({ message }) => message.includes('RATE_LIMITED'));
      expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
    });

    for (const target of ['/api/v1/sign', '/api/v1/nothing']) {
      it(`count failed connection checks too: ${target}`, async () => {
        await start({ failures: LIMIT, replace: () => ({ callerChecks: [identifyOrRefuse] }) });
        const sign = target === SIGN.target ? SIGN : { target };
        const as = (name: string) => ({ ...sign, header: null, headers: { [CALLER]: name } });
        const right = (await send(as('desk'))).status;
        expect(right).not.to.be.oneOf([401, 429]);
        await fail(as('nobody'), 5);
        await expectNoMoreProofs(as('nobody'));
        // Connection checks are free, so valid callers are not affected.
        expect((await send(as('desk'))).status).to.equal(right);
        service.clock.advance(LEFT_MS);
        await fail(as('nobody'), 1);
      });
    }
  });
});
