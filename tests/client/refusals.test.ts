import { expect } from 'chai';
import { STATUS_OF_CODE } from '../../src/adapters/http/http-refusal.ts';
import { ERROR_CODES, type ErrorCode, isServiceError, ServiceError, SigningClient } from '../../src/client/client.ts';
import { FailingAuditSink } from '../doubles/failing-audit-sink.ts';
import { type RunningService, type ServiceParts, startService } from '../harness/running-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caughtAs } from './caught.ts';
import { refusal, ScriptedServer } from './scripted-server.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };

describe('ServiceError', () => {
  it("has one of the API's codes, all recognised by the client", () => {
    expect([...ERROR_CODES].sort()).to.deep.equal(Object.keys(STATUS_OF_CODE).sort());
  });

  describe('of the real service', () => {
    const running: RunningService[] = [];
    afterEach(async () => {
      for (const service of running.splice(0)) await service.close();
    });

    async function clientOf(parts: ServiceParts = {}, path = ''): Promise<SigningClient> {
      const service = await startService(parts);
      running.push(service);
      return new SigningClient({ url: `http://127.0.0.1:${service.port}${path}`, retry: false });
    }

    async function refusalOf<Code extends ErrorCode>(code: Code, call: Promise<unknown>): Promise<ServiceError<Code>> {
      const error = await caughtAs(ServiceError, call);
      if (!isServiceError(error, code)) throw error;
      expect(error.status).to.equal(STATUS_OF_CODE[code]);
      expect(error.kind).to.equal('service');
      expect(error.message.startsWith(`${code}: `)).to.equal(true);
      expect(error.requestId).to.match(/^\S+$/);
      return error;
    }

    it('ACCOUNT_NOT_FOUND names the account', async () => {
      const client = await clientOf();
      const error = await refusalOf('ACCOUNT_NOT_FOUND', client.sign({ ...ALPHA, accountId: 'nobody' }));
      expect(error.details).to.deep.equal({ platformId: 'alpha', accountId: 'nobody' });
      expect(error.mayHaveBeenDone).to.equal(false);
      await refusalOf('ACCOUNT_NOT_FOUND', client.account({ platformId: 'nowhere', accountId: 'nobody' }));
    });

    it('PLATFORM_NOT_SUPPORTED names the platform', async () => {
      const client = await clientOf();
      const error = await refusalOf('PLATFORM_NOT_SUPPORTED', client.sign({ ...ALPHA, platformId: 'nowhere' }));
      expect(error.details.platformId).to.equal('nowhere');
    });

    it('INVALID_DATA_FORMAT names the fields', async () => {
      const client = await clientOf();
      const error = await refusalOf('INVALID_DATA_FORMAT', client.sign({ ...ALPHA, data: { nonce: 'soon' } }));
      expect(error.details.issues).to.have.length.above(0);
      expect(error.details.issues[0]?.path).to.be.a('string');
      await refusalOf('INVALID_DATA_FORMAT', client.signBatch([]));
      await refusalOf('INVALID_DATA_FORMAT', client.accountPage({ limit: 5000 }));
    });

    it('ACCOUNT_INACTIVE names the account', async () => {
      const client = await clientOf();
      const error = await refusalOf('ACCOUNT_INACTIVE', client.sign({ ...ALPHA, accountId: 'idle' }));
      expect(error.details.accountId).to.equal('idle');
    });

    it('SIGNATURE_FAILED may have been executed', async () => {
      const client = await clientOf({ auditSink: new FailingAuditSink() });
      const error = await refusalOf('SIGNATURE_FAILED', client.sign(ALPHA));
      expect(error.details['reason']).to.equal('AUDIT_UNAVAILABLE');
      expect(error.mayHaveBeenDone).to.equal(true);
    });

    it('CONFIG_LOAD_FAILED', async () => {
      const client = await clientOf();
      running[0]?.credentials.failWith(new Error('The file is gone.'));
      await refusalOf('CONFIG_LOAD_FAILED', client.reload());
    });

    it('FORBIDDEN has a reason', async () => {
      const client = await clientOf({ permissions: [] });
      for (const call of [client.sign(ALPHA), client.status(), client.accounts(), client.reload()]) {
        expect((await refusalOf('FORBIDDEN', call)).details.reason).to.equal('PERMISSION_DENIED');
      }
    });

    it('RATE_LIMITED has the retry delay', async () => {
      const client = await clientOf({ perCaller: { points: 1, windowSeconds: 60 } });
      await client.sign(ALPHA);
      const error = await refusalOf('RATE_LIMITED', client.sign(ALPHA));
      expect(error.retryAfterMs).to.equal(60_000);
      expect(error.details).to.include({ scope: 'caller', limit: 1, retryAfterMs: 60_000 });
      const tooMany = [1, 2].map((id) => ({ requestId: String(id), ...ALPHA }));
      expect((await refusalOf('RATE_LIMITED', client.signBatch(tooMany))).retryAfterMs).to.equal(60_000);
    });

    it('RATE_LIMITED of a batch above the limit has no retry delay', async () => {
      const client = await clientOf({ perCaller: { points: 2, windowSeconds: 60 } });
      const batch = [1, 2, 3].map((id) => ({ requestId: String(id), ...ALPHA }));
      expect((await refusalOf('RATE_LIMITED', client.signBatch(batch))).retryAfterMs).to.equal(null);
    });

    it('REQUEST_TOO_LARGE', async () => {
      const client = await clientOf();
      const data = { ...DATA_A, padding: 'x'.repeat(1_048_576) };
      const error = await refusalOf('REQUEST_TOO_LARGE', client.sign({ ...ALPHA, data }));
      expect(error.details.limitBytes).to.equal(1_048_576);
    });

    it('NOT_FOUND for a wrong URL', async () => {
      const client = await clientOf({}, '/another');
      await refusalOf('NOT_FOUND', client.sign(ALPHA));
    });
  });

  describe('of a scripted server', () => {
    const server = new ScriptedServer();
    let client: SigningClient;

    before(async () => {
      client = new SigningClient({ url: await server.listen(), retry: false });
    });
    after(() => server.close());

    for (const code of ERROR_CODES) {
      it(`${code} has status, message and details`, async () => {
        server.play(refusal(STATUS_OF_CODE[code], code, { reason: 'SO' }, { 'X-Request-Id': 'req-1' }));
        const error = await caughtAs(ServiceError, client.sign(ALPHA));
        expect(isServiceError(error, code)).to.equal(true);
        expect(ERROR_CODES.filter((other) => isServiceError(error, other))).to.deep.equal([code]);
        expect({ ...error }).to.deep.equal({
          ...{ kind: 'service', name: 'ServiceError', code, status: STATUS_OF_CODE[code], details: { reason: 'SO' } },
          ...{ retryAfterMs: null, requestId: 'req-1', mayHaveBeenDone: STATUS_OF_CODE[code] === 500 },
        });
      });
    }

    it('keeps an unknown code of a newer service', async () => {
      server.play(refusal(418, 'TEAPOT'));
      const error = await caughtAs(ServiceError, client.sign(ALPHA));
      expect(error).to.include({ code: 'TEAPOT', status: 418 });
      expect(ERROR_CODES.filter((code) => isServiceError(error, code))).to.deep.equal([]);
    });

    it('prefers the delay in the details to Retry-After', async () => {
      server.play(
        refusal(429, 'RATE_LIMITED', { retryAfterMs: 250 }, { 'Retry-After': '1' }),
        refusal(503, 'OVERLOADED', {}, { 'Retry-After': '2' }),
        refusal(503, 'OVERLOADED', {}, { 'Retry-After': 'Sun, 22 Nov 2026 00:00:00 GMT' }),
      );
      const times: (number | null)[] = [];
      for (let index = 0; index < 3; index += 1) {
        times.push((await caughtAs(ServiceError, client.sign(ALPHA))).retryAfterMs);
      }
      expect(times).to.deep.equal([250, 2000, null]);
    });

    it('is distinguished from other errors', () => {
      for (const thing of [null, undefined, 'RATE_LIMITED', new Error('RATE_LIMITED'), { code: 'RATE_LIMITED' }]) {
        expect(isServiceError(thing)).to.equal(false);
        expect(isServiceError(thing, 'RATE_LIMITED')).to.equal(false);
      }
    });
  });
});
