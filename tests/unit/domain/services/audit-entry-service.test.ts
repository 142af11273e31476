import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import type { AuditEntry } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { accepted, refused } from '../../../../src/domain/model/outcome.ts';
import {
  accountInactive,
  accountNotFound,
  configLoadFailed,
  invalidDataFormat,
  permissionDenied,
  platformNotSupported,
  signatureFailed,
} from '../../../../src/domain/model/refusal.ts';
import type { SignedResult } from '../../../../src/domain/model/sign-request.ts';
import {
  type AttemptedTask,
  AuditEntryService,
  type SigningAttempt,
} from '../../../../src/domain/services/audit-entry-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { samplePlatform } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT } from './signing-workbench.ts';

const NO_FACTS: Omit<AuditEntry, 'event' | 'outcome'> = {
  time: '2026-11-20T08:49:00.000Z',
  errorCode: null,
  platformId: null,
  accountId: null,
  algorithm: null,
  keyId: null,
  policy: null,
  payloadDigest: null,
  signatureDigest: null,
  data: null,
  correlationId: null,
  traceparent: null,
  batchRequestId: null,
  principal: null,
  remoteAddress: null,
  durationMs: null,
  instanceId: 'instance-1',
};

const REQUEST = {
  platformId: 'alpha',
  accountId: 'main',
  data: { symbol: 'BTCUSDT', price: '50000', note: 'private', path: '/orders?apiKey=private' },
};

const TASK = { request: REQUEST, context: CONTEXT, batchRequestId: null, startedAt: 0 };

/** Records one attempt. */
function record(service: AuditEntryService, attempt: SigningAttempt, task: AttemptedTask['task'] = TASK) {
  return service.recordAttempts([{ task, attempt }]);
}

const account: Account = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'Alpha main',
  status: 'active',
  environment: 'production',
  algorithm: 'eip191',
  publicKey: 'public key',
  createdAt: '2026-01-01T00:00:00.000Z',
  key: { id: 'handle' },
  keyId: '0123456789abcdef',
};

const result: SignedResult = {
  signature: '0x5167',
  algorithm: 'eip191',
  encoding: 'hex',
  publicKey: 'public key',
  signedAt: '2026-11-20T08:49:00.000Z',
  payload: { bytes: Uint8Array.of(0x00, 0xff), text: '00ff', encoding: 'hex' },
};

const signed: SigningAttempt = {
  platform: samplePlatform(),
  account,
  payload: { bytes: Uint8Array.of(0x00, 0xff), text: '00ff', encoding: 'hex' },
  outcome: accepted(result),
};

function setUp<Sink extends AuditSink>(sink: Sink) {
  const clock = new FixedClock();
  const log = new RecordingServiceLog();
  return { sink, clock, log, service: new AuditEntryService(sink, new NodeHasher(), clock, 'instance-1', log) };
}

function withoutTime({ time: _, ...facts }: typeof NO_FACTS) {
  return facts;
}

describe('AuditEntryService', () => {
  describe('of a signing attempt', () => {
    it('records the digests of the bytes signed and of the signature text as returned', async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      acceptedValue(await record(service, signed));
      expect(sink.entries).to.deep.equal([
        {
          ...NO_FACTS,
          event: 'sign',
          outcome: 'success',
          platformId: 'alpha',
          accountId: 'main',
          algorithm: 'eip191',
          keyId: '0123456789abcdef',
          payloadDigest: `sha256:${createHash('sha256').update(Buffer.of(0x00, 0xff)).digest('hex')}`,
          signatureDigest: `sha256:${createHash('sha256').update('0x5167', 'ascii').digest('hex')}`,
          data: { symbol: 'BTCUSDT', price: '[masked]', path: '/orders?[masked]', '[other]': '[masked]' },
          correlationId: 'c-1',
          traceparent: CONTEXT.traceparent,
          principal: 'desk-7',
          remoteAddress: '10.1.2.3',
          durationMs: 0,
        },
      ]);
    });

    const refusals = [
      [platformNotSupported('alpha'), 'refused'],
      [accountNotFound('alpha', 'main'), 'refused'],
      [accountInactive('alpha', 'main'), 'refused'],
      [invalidDataFormat([{ path: 'data.a', message: 'is missing' }]), 'refused'],
      [signatureFailed('alpha', 'main', new Error('why')), 'failed'],
    ] as const;
    for (const [refusal, outcome] of refusals) {
      it(`records ${refusal.code} as ${outcome}, with the requested ids and masked data`, async () => {
        const { sink, service } = setUp(new MemoryAuditSink());
        acceptedValue(await record(service, { outcome: refused(refusal) }));
        expect(sink.entries).to.have.length(1);
        expect(sink.entries[0]).to.deep.include({
          outcome,
          errorCode: refusal.code,
          platformId: 'alpha',
          accountId: 'main',
          algorithm: null,
          payloadDigest: null,
          signatureDigest: null,
        });
        expect(JSON.stringify(sink.entries)).not.to.match(/50000|private|note|why/);
      });
    }

    it('records the algorithm and the payload digest of a failed attempt', async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      const failed = { ...signed, outcome: refused(signatureFailed('alpha', 'main', new Error('why'))) };
      await record(service, failed);
      expect(sink.entries[0]?.algorithm).to.equal('eip191');
      expect(sink.entries[0]?.payloadDigest).to.match(/^sha256:[0-9a-f]{64}$/);
      expect(sink.entries[0]?.signatureDigest).to.equal(null);
    });

    it("masks by the platform's format", async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      const data = { market: 'SOL-USDC', symbol: 'BTCUSDT', amount: '1' };
      await record(
        service,
        { ...signed, platform: samplePlatform({ format: 'A' }) },
        { ...TASK, request: { ...REQUEST, data } },
      );
      expect(sink.entries[0]?.data).to.deep.equal({ market: 'SOL-USDC', amount: '[masked]', '[other]': '[masked]' });
    });

    it('records attempts together, in order, each with its own request', async () => {
      const { sink, service } = setUp(new DelayingAuditSink());
      const items = ['first', 'second', 'third'].map((accountId, index) => ({
        task: { ...TASK, request: { ...REQUEST, accountId }, batchRequestId: `item-${index}` },
        attempt: signed,
      }));
      const recorded = service.recordAttempts(items);
      expect(sink.waiting.map(({ accountId, batchRequestId }) => [accountId, batchRequestId])).to.deep.equal([
        ['first', 'item-0'],
        ['second', 'item-1'],
        ['third', 'item-2'],
      ]);
      sink.succeed();
      acceptedValue(await recorded);
      expect(sink.durable).to.have.length(3);
    });

    it('records the requestId of a batch item', async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      await record(service, signed, { ...TASK, batchRequestId: 'item-1' });
      expect(sink.entries[0]?.batchRequestId).to.equal('item-1');
    });

    it('records the duration up to the record, to the microsecond', async () => {
      const { sink, clock, service } = setUp(new MemoryAuditSink());
      clock.advance(10);
      const startedAt = clock.monotonic();
      clock.advance(1.2345678);
      await record(service, signed, { ...TASK, startedAt });
      expect(sink.entries[0]?.durationMs).to.equal(1.235);
    });

    it('records neither the signature, nor the payload, nor a key handle', async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      await record(service, signed);
      expect(JSON.stringify(sink.entries)).not.to.match(/0x5167|00ff|handle/);
    });
  });

  describe('is accepted', () => {
    it('only once the record is durable', async () => {
      const { sink, service } = setUp(new DelayingAuditSink());
      const recorded = record(service, signed);
      expect(await isSettled(recorded)).to.equal(false);
      sink.succeed();
      acceptedValue(await recorded);
    });

    it('not when the record cannot be written, regardless of what the sink throws and when', async () => {
      const cause = new Error('EIO at /var/audit');
      const throwing: AuditSink = {
        available: true,
        facts: {},
        head: { seq: 0, hash: null },
        checkpoint: null,
        queued: 0,
        append: () => {
          throw cause;
        },
        probe: async () => null,
        reopen: async () => {},
        close: async () => {},
      };
      for (const sink of [new FailingAuditSink(), throwing]) {
        const { service, log } = setUp(sink);
        const refusal = refusalOf(await record(service, signed));
        expect(refusal.code).to.equal('SIGNATURE_FAILED');
        expect(refusal.details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
        expect(`${refusal.message} ${JSON.stringify(refusal.details)}`).not.to.match(/EIO|var/);
        expect(log.events.map(({ level, facts }) => [level, facts['cause'] instanceof Error])).to.deep.equal([
          ['error', true],
        ]);
        expect(refusalOf(await service.recordLifecycle('start', {})).details).to.deep.equal(refusal.details);
        expect(refusalOf(await service.recordRejectedRequest('sign', 'X', CONTEXT)).details).to.deep.equal(
          refusal.details,
        );
      }
    });

    it('or logs the failure at once, then once a minute with the number of records', async () => {
      const sink = new DelayingAuditSink();
      const { service, log, clock } = setUp(sink);
      const recordAll = async (outcome: 'fail' | 'succeed', count: number) => {
        for (let index = 0; index < count; index += 1) {
          const recorded = record(service, signed);
          sink[outcome]();
          await recorded;
        }
        return log.events.map(({ level, facts }) => [level, facts['failed']]);
      };
      expect(await recordAll('fail', 100)).to.deep.equal([['error', 1]]);
      const { event, correlationId, cause } = log.events[0]?.facts ?? {};
      expect({ event, correlationId }).to.deep.equal({ event: 'sign', correlationId: 'c-1' });
      expect(cause).to.be.instanceOf(AuditUnavailableError);
      expect(await recordAll('succeed', 1)).to.have.lengthOf(1);
      expect(await recordAll('fail', 50)).to.have.lengthOf(1);
      clock.advance(60_000);
      expect((await recordAll('fail', 2)).slice(1)).to.deep.equal([['error', 150]]);
      clock.advance(60_000);
      expect((await recordAll('succeed', 2)).slice(2)).to.deep.equal([['info', 1]]);
    });
  });

  describe('of a verification', () => {
    const verifyRequest = { ...REQUEST, signature: '0x5167' };
    const payload = { bytes: Uint8Array.of(0x00, 0xff), text: '00ff', encoding: 'hex' } as const;

    for (const valid of [true, false]) {
      it(`records ${valid ? 'a right' : 'a wrong'} signature by its digest, with the result`, async () => {
        const { sink, clock, service } = setUp(new MemoryAuditSink());
        clock.advance(3.25);
        const attempt = { platform: samplePlatform(), account, payload, outcome: accepted({ valid, payload }) };
        acceptedValue(await service.recordVerification(verifyRequest, attempt, CONTEXT, 0));
        const masked = { symbol: 'BTCUSDT', price: '[masked]', path: '/orders?[masked]', '[other]': '[masked]' };
        expect(sink.entries.map(({ time: _, ...entry }) => entry)).to.deep.equal([
          {
            ...withoutTime(NO_FACTS),
            event: 'verify',
            outcome: 'success',
            platformId: 'alpha',
            accountId: 'main',
            algorithm: 'eip191',
            keyId: '0123456789abcdef',
            payloadDigest: `sha256:${createHash('sha256').update(Buffer.of(0x00, 0xff)).digest('hex')}`,
            signatureDigest: `sha256:${createHash('sha256').update('0x5167', 'ascii').digest('hex')}`,
            data: { valid, data: masked },
            correlationId: 'c-1',
            traceparent: CONTEXT.traceparent,
            principal: 'desk-7',
            remoteAddress: '10.1.2.3',
            durationMs: 3.25,
          },
        ]);
      });
    }

    it('records a refusal with its code, and null for anything not reached', async () => {
      const { sink, service } = setUp(new MemoryAuditSink());
      const attempt = { outcome: refused(platformNotSupported('alpha')) };
      acceptedValue(await service.recordVerification(verifyRequest, attempt, CONTEXT, 0));
      expect(sink.entries[0]).to.deep.include({
        event: 'verify',
        outcome: 'refused',
        errorCode: 'PLATFORM_NOT_SUPPORTED',
        algorithm: null,
        payloadDigest: null,
        data: { valid: null, data: null },
      });
    });

    it('is not accepted when the record cannot be written', async () => {
      const { service } = setUp(new FailingAuditSink());
      const attempt = { outcome: accepted({ valid: true, payload }) };
      const refusal = refusalOf(await service.recordVerification(verifyRequest, attempt, CONTEXT, 0));
      expect(refusal.details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    });
  });

  it('records a malformed request', async () => {
    for (const event of ['sign', 'verify'] as const) {
      const { sink, service } = setUp(new MemoryAuditSink());
      acceptedValue(await service.recordRejectedRequest(event, 'INVALID_DATA_FORMAT', CONTEXT));
      expect(sink.entries).to.deep.equal([
        { ...NO_FACTS, event, outcome: 'refused', errorCode: 'INVALID_DATA_FORMAT', ...CONTEXT },
      ]);
    }
  });

  it('records a reload, for any trigger and outcome', async () => {
    const { sink, clock, service } = setUp(new MemoryAuditSink());
    clock.advance(20);
    acceptedValue(
      await service.recordReload([{ trigger: 'request', context: CONTEXT }], accepted({ accountCount: 3 }), 5),
    );
    const issues = [{ path: 'accounts[0].key', message: 'is wrong' }];
    acceptedValue(
      await service.recordReload([{ trigger: 'watch', context: null }], refused(configLoadFailed('file', issues)), 5),
    );
    acceptedValue(
      await service.recordReload(
        [{ trigger: 'request', context: CONTEXT }],
        refused(permissionDenied('reload', 'desk-7')),
        5,
      ),
    );
    const shared = { ...NO_FACTS, time: '2026-11-20T08:49:00.020Z', event: 'reload', durationMs: 15 };
    const denied = { trigger: 'request', reason: 'PERMISSION_DENIED' };
    expect(sink.entries).to.deep.equal([
      { ...shared, outcome: 'success', data: { trigger: 'request', accountCount: 3 }, ...CONTEXT },
      { ...shared, outcome: 'failed', errorCode: 'CONFIG_LOAD_FAILED', data: { trigger: 'watch', issues } },
      { ...shared, outcome: 'refused', errorCode: 'FORBIDDEN', data: denied, ...CONTEXT },
    ]);
  });

  it('records the start and the stop of the service', async () => {
    const { sink, service } = setUp(new MemoryAuditSink());
    await service.recordLifecycle('start', { version: '1.2.3' });
    await service.recordLifecycle('stop', {});
    expect(sink.entries).to.deep.equal([
      { ...NO_FACTS, event: 'start', outcome: 'success', data: { version: '1.2.3' } },
      { ...NO_FACTS, event: 'stop', outcome: 'success', data: {} },
    ]);
  });

  it('reports whether records can be written', () => {
    expect(setUp(new MemoryAuditSink()).service.available).to.equal(true);
    expect(setUp(new FailingAuditSink()).service.available).to.equal(false);
  });
});
