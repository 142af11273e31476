import { expect } from 'chai';
import request from 'supertest';
import { SodiumSignatureVerifier } from '../../src/adapters/driven/signature-verifier/sodium-signature-verifier.ts';
import { identifyCaller } from '../../src/adapters/driving/http/callers/call-context.ts';
import { unauthenticated } from '../../src/adapters/driving/http/http-refusal.ts';
import type { RequestCheck } from '../../src/adapters/driving/http/middleware/entry-checks.ts';
import type { AuditEntry } from '../../src/domain/model/audit-entry.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { SignatureVerifier } from '../../src/ports/signature-verifier.ts';
import {
  AUTHORITY,
  type AuthenticatedParts,
  exchange as exchangeProofs,
  type Sending,
  startAuthenticatedService,
} from './authenticated-service.ts';
import { expectData, expectError, type ReceivedResponse } from './envelope-checks.ts';
import { type RunningService, type ServiceParts, startService } from './harness.ts';
import { exchange, postBytes } from './raw-client.ts';
import { DATA_A } from './sample-accounts.ts';

/** Five points in ten seconds: one comes back each two. */
const BUDGET = { points: 5, windowSeconds: 10 };

const SINGLE = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** Believes whoever says in a header who they are, and takes `nobody` for a proof that is none. */
const CALLER = 'X-Test-Principal';
const identify: RequestCheck = (received, response) => {
  const name = received.get(CALLER);
  if (name === 'nobody') {
    response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
    return unauthenticated('CLIENT_CERTIFICATE_REQUIRED', 'Nobody.');
  }
  if (name !== undefined) identifyCaller(response, name);
  return null;
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

  /** Checks a 429 of the caller's budget, and that its times agree. */
  function expectLimited(response: ReceivedResponse, retryAfterMs: number): void {
    const { details } = expectError(response, 429, 'RATE_LIMITED');
    expect(details).to.deep.equal({ retryAfterMs, limit: 5, windowSeconds: 10, scope: 'caller' });
    expect(response.headers['retry-after']).to.equal(String(Math.max(1, Math.ceil(retryAfterMs / 1000))));
  }

  it('are off by default', async () => {
    await start({});
    await spend(50);
    expectData(await post('/sign/batch', batchOf(50)));
    const { load, rateLimits } = expectData<{ load: JsonObject; rateLimits: unknown }>(await get('/api/v1/status'));
    expect(load['rateLimited']).to.equal(0);
    expect(rateLimits).to.equal(null);
  });

  describe('of a caller', () => {
    beforeEach(() => start({ perCaller: BUDGET }));

    it('refuse with 429 RATE_LIMITED what is more than its budget, and say when to come back', async () => {
      await spend(5);
      expectLimited(await sign(), 2000);
      service.clock.advance(1900);
      expectLimited(await sign(), 100);
      service.clock.advance(100);
      expectData(await sign());
      expectLimited(await sign(), 2000);
    });

    it('count every request but those for health', async () => {
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
        await service.close();
        await start({ perCaller: BUDGET });
        for (const { status } of await times(5, ask)) expect(status).not.to.equal(429);
        for (const response of [await ask(), await sign()]) expectLimited(response, 2000);
        for (const path of ['/healthz', '/readyz']) expectData(await get(path));
      }
    });

    it('leave nothing on the audit record, count in the status and are said in the log once', async () => {
      await spend(5);
      const refused = await times(20, sign);
      for (const response of refused) expectLimited(response, 2000);
      for (const ask of [() => post('/sign', { wrong: 1 }), () => get('/api/v1/sign'), () => post('/verify', {})]) {
        expectLimited(await ask(), 2000);
      }
      expect(recorded()).to.have.length(5);
      const lines = service.log.events.filter(({ message }) => message.includes('RATE_LIMITED'));
      expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
      service.clock.advance(2000);
      const { load, rateLimits } = expectData<{ load: JsonObject; rateLimits: unknown }>(await get('/api/v1/status'));
      expect(load).to.include({ rateLimited: 23, refused: 0 });
      expect(rateLimits).to.deep.equal({
        ...{ perCaller: 5, perAccount: null, windowSeconds: 10 },
        ...{ shared: false, state: 'current', apartSince: null, reason: null },
      });
    });

    it('do not read a body that is refused, whatever it is', async () => {
      await spend(5);
      const response = await exchange(service.port, postBytes('/api/v1/sign', '{"no json'));
      expectLimited(response, 2000);
    });

    it('count each item of a batch', async () => {
      expectData(await post('/sign/batch', batchOf(3)));
      await spend(2);
      expectLimited(await sign(), 2000);
    });

    it('refuse a batch that is bigger than what is left as a whole, and take it when they said', async () => {
      await spend(3);
      // Two are left, of which the request takes one; three more are needed, and one for the request that comes again.
      expectLimited(await post('/sign/batch', batchOf(4)), 6000);
      expect(recorded()).to.have.length(3);
      service.clock.advance(6000);
      expectData(await post('/sign/batch', batchOf(4)));
    });

    it('take a batch again after Retry-After, whatever is in it', async () => {
      for (const items of [2, 3, 4, 5]) {
        service.clock.advance(10_000);
        await spend(5);
        service.clock.advance(2000);
        const refused = await post('/sign/batch', batchOf(items));
        const { details } = expectError(refused, 429, 'RATE_LIMITED');
        service.clock.advance(Number(details['retryAfterMs']));
        expectData(await post('/sign/batch', batchOf(items)));
        expect((await sign()).status).to.equal(429);
      }
    });

    it('say of a batch that can never fit that it can not', async () => {
      const response = await post('/sign/batch', batchOf(6));
      const { message, details } = expectError(response, 429, 'RATE_LIMITED');
      expect(details).to.deep.equal({ retryAfterMs: null, limit: 5, windowSeconds: 10, scope: 'caller' });
      expect(message).to.include('never');
      expect(response.headers).not.to.have.property('retry-after');
      expect(recorded()).to.deep.equal([]);
      await spend(4);
    });
  });

  describe('of an account', () => {
    beforeEach(() => start({ perAccount: BUDGET }));

    it('refuse with 429 RATE_LIMITED what is more than its budget, on record, and say when to come back', async () => {
      await spend(5);
      const response = await sign();
      const { details } = expectError(response, 429, 'RATE_LIMITED');
      const limit = { limit: 5, windowSeconds: 10, scope: 'account' };
      expect(details).to.deep.equal({ platformId: 'alpha', accountId: 'main', retryAfterMs: 2000, ...limit });
      expect(response.headers['retry-after']).to.equal('2');
      expect(recorded().at(-1)).to.deep.equal({ event: 'sign', outcome: 'refused', errorCode: 'RATE_LIMITED' });
      service.clock.advance(2000);
      expectData(await sign());
    });

    it('fail the items of a batch that are too many, and let the first pass', async () => {
      const { results, summary } = expectData<{ results: readonly JsonObject[]; summary: JsonObject }>(
        await post('/sign/batch', batchOf(7)),
      );
      expect(summary).to.deep.equal({ total: 7, successful: 5, failed: 2 });
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...Array<string>(5).fill('success'),
        ...Array<string>(2).fill('failed'),
      ]);
      expect(results[6]?.['error']).to.deep.include({ code: 'RATE_LIMITED' });
      expect(results[6]?.['error']).to.have.nested.property('details.retryAfterMs', 4000);
    });

    it('bound no other request', async () => {
      await spend(5);
      for (const { status } of await times(10, () => post('/verify', { ...SINGLE, signature: 'x' }))) {
        expect(status).to.equal(200);
      }
      const { load, rateLimits } = expectData<{ load: JsonObject; rateLimits: JsonObject }>(
        await get('/api/v1/status'),
      );
      expect(load['rateLimited']).to.equal(0);
      expect(rateLimits).to.include({ perCaller: null, perAccount: 5, windowSeconds: 10 });
    });

    it('bound the batches of callers that a permissions list names, and take nothing for those that may not sign', async () => {
      await service.close();
      await start({
        perAccount: BUDGET,
        permissions: [{ principals: ['desk'], accounts: ['alpha/main'], operations: ['sign'] }],
        replace: () => ({ callerChecks: [identify] }),
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

  describe('of proofs that fail', () => {
    const SIGN = { method: 'POST', target: '/api/v1/sign', body: JSON.stringify(SINGLE) };
    const WRONG = 'AAAA';

    const startAsking = async (parts: AuthenticatedParts) => {
      service = await startAuthenticatedService({ failures: BUDGET, ...parts });
    };
    const send = (sending: Sending) => exchangeProofs(service, sending);
    const fail = async (sending: Sending, count: number) => {
      for (let nth = 0; nth < count; nth += 1) expect((await send(sending)).status).to.equal(401);
    };
    const expectServed = async (sending: Sending) => expect((await send(sending)).status).to.equal(200);

    /** Checks a 429 of the address's budget for proofs that fail, which leaves nothing on the audit record. */
    async function expectNoMoreProofs(sending: Sending): Promise<void> {
      const before = recorded().length;
      const { status, headers, json } = await send(sending);
      expect(status).to.equal(429);
      const { code, details } = json.error;
      expect(code).to.equal('RATE_LIMITED');
      const limit = { limit: 5, windowSeconds: 10, scope: 'authentication' };
      expect(details).to.deep.equal({ retryAfterMs: 2000, ...limit });
      expect(headers.get('Retry-After')).to.equal('2');
      expect(recorded()).to.have.length(before);
    }

    for (const [title, sending] of [
      ['to sign', SIGN],
      ['whose body nobody wants', { target: '/api/v1/status' }],
    ] as const) {
      for (const [fault, wrong] of [
        ['a wrong header', { header: WRONG }],
        ['no header', { header: null }],
        ['a signature over something else', { key: AUTHORITY }],
      ] as const) {
        it(`have the next of that address refused with 429, off the record: ${fault}, with a request ${title}`, async () => {
          await startAsking({});
          await fail({ ...sending, ...wrong }, 5);
          await expectNoMoreProofs({ ...sending, ...wrong });
          service.clock.advance(2000);
          await fail({ ...sending, ...wrong }, 1);
          await expectNoMoreProofs({ ...sending, ...wrong });
        });
      }

      it(`keep out nobody of that address whose token was verified before: a request ${title}`, async () => {
        await startAsking({});
        await expectServed(sending);
        await fail({ ...sending, header: WRONG }, 5);
        await expectNoMoreProofs({ ...sending, header: WRONG });
        for (let nth = 0; nth < 10; nth += 1) await expectServed(sending);
      });

      it(`keep out nobody of that address who need not say who he is: a request ${title}`, async () => {
        await startAsking({ mode: 'optional' });
        await fail({ ...sending, header: WRONG }, 5);
        await expectNoMoreProofs({ ...sending, header: WRONG });
        for (let nth = 0; nth < 10; nth += 1) await expectServed({ ...sending, header: null });
      });

      it(`have a token that was never verified wait, without a look at a signature: a request ${title}`, async () => {
        const sodium = new SodiumSignatureVerifier();
        let verified = 0;
        const verify: SignatureVerifier['verify'] = (...signed) => {
          verified += 1;
          return sodium.verify(...signed);
        };
        await startAsking({ verifier: { verify } });
        await fail({ ...sending, header: null }, 5);
        await expectNoMoreProofs(sending);
        expect(verified).to.equal(0);
        service.clock.advance(2000);
        await expectServed(sending);
      });
    }

    // Whoever saw a token can send one with any body: it costs its address a point as a wrong signature does.
    it('are also bodies that can not be proved, since they are too large or broken', async () => {
      const large = { ...SIGN, body: 'x'.repeat(1_048_577) };
      await startAsking({});
      await expectServed(SIGN);
      for (let nth = 0; nth < 5; nth += 1) expect((await send(large)).status).to.equal(413);
      await expectNoMoreProofs(large);
      await expectServed(SIGN);
    });

    it('are no bodies that are wrong in other ways, of a caller who is known by them', async () => {
      await startAsking({});
      for (let nth = 0; nth < 6; nth += 1) expect((await send({ ...SIGN, body: '{' })).status).to.equal(400);
      await expectServed(SIGN);
    });

    it('count in the status, and are said in the log once', async () => {
      await startAsking({});
      await expectServed({ target: '/api/v1/status' });
      await fail({ ...SIGN, header: WRONG }, 5);
      for (let nth = 0; nth < 20; nth += 1) await expectNoMoreProofs({ ...SIGN, header: WRONG });
      const { json } = await send({ target: '/api/v1/status' });
      expect(json).to.have.nested.property('data.load.rateLimited', 20);
      const lines = service.log.events.filter(({ message }) => message.includes('RATE_LIMITED'));
      expect(lines.map(({ level }) => level)).to.deep.equal(['warn']);
    });

    it('take nothing of what the address may ask for without a proof', async () => {
      for (const sending of [SIGN, { target: '/api/v1/status' }]) {
        await startAsking({ mode: 'optional', perCaller: BUDGET });
        await fail({ ...sending, header: WRONG }, 4);
        for (let nth = 0; nth < 5; nth += 1) expect((await send({ ...sending, header: null })).status).to.equal(200);
        const { status, json } = await send({ ...sending, header: null });
        expect([status, json.error?.details.scope]).to.deep.equal([429, 'caller']);
        await service.close();
      }
    });

    for (const target of ['/api/v1/sign', '/api/v1/status', '/api/v1/nothing']) {
      it(`count where connections are looked at, too: ${target}`, async () => {
        await start({ failures: BUDGET, replace: () => ({ callerChecks: [identify] }) });
        const sign = target === SIGN.target ? SIGN : { target };
        const as = (name: string) => ({ ...sign, header: null, headers: { [CALLER]: name } });
        const right = (await send(as('desk'))).status;
        expect(right).not.to.be.oneOf([401, 429]);
        await fail(as('nobody'), 5);
        await expectNoMoreProofs(as('nobody'));
        // What a connection shows costs nothing to look at: who passes is not kept out by others of the same address.
        expect((await send(as('desk'))).status).to.equal(right);
        service.clock.advance(2000);
        await fail(as('nobody'), 1);
      });
    }
  });
});
