import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { ALGORITHMS, isMacAlgorithm } from '../../../../src/domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { ThrowingKeyStore } from '../../../doubles/throwing-key-store.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { SIGNABLE } from './signable-data.ts';
import { CONTEXT, createWorkbench, SigningWorkbench } from './signing-workbench.ts';

const SECRET = samplePrivateKey(7);
const MAC = { algorithm: 'hmac-sha256' } as const;
const MAC_OF_DATA = createHmac('sha256', SECRET).update('{"a":1}').digest('hex');

const request = (signature: string, data: JsonObject = { a: 1 }) => ({
  platformId: 'alpha',
  accountId: 'main',
  data,
  signature,
});

describe('VerifySignatureService', () => {
  for (const algorithm of ALGORITHMS) {
    it(`accepts each ${algorithm} signature of this service, and rejects another account's`, async () => {
      const bench = createWorkbench();
      const { payload, data } = SIGNABLE[algorithm];
      const own = bench.enrol({ algorithm }, samplePrivateKey(7, algorithm));
      const other = bench.enrol({ algorithm, accountId: 'other' }, samplePrivateKey(8, algorithm));
      bench.serve([samplePlatform({ payload, algorithms: [algorithm], verify: { mac: true } })], [own, other]);
      const sign = async (accountId: string) =>
        acceptedValue(await bench.signing.sign({ platformId: 'alpha', accountId, data }, CONTEXT)).signature;
      const verdict = async (signature: string) =>
        acceptedValue(await bench.verification.verify(request(signature, data), CONTEXT)).valid;
      expect(await verdict(await sign('main'))).to.equal(true);
      expect(await verdict(await sign('other'))).to.equal(false);
    });

    it(`${isMacAlgorithm(algorithm) ? 'opens the secret once' : 'opens no key'} for ${algorithm}`, async () => {
      const bench = createWorkbench();
      const { payload, data } = SIGNABLE[algorithm];
      bench.serve(
        [samplePlatform({ payload, algorithms: [algorithm], verify: { mac: true } })],
        [bench.enrol({ algorithm }, samplePrivateKey(7, algorithm))],
      );
      acceptedValue(await bench.verification.verify(request('x', data), CONTEXT));
      expect(bench.opened).to.have.lengthOf(isMacAlgorithm(algorithm) ? 1 : 0);
    });
  }

  it('opens no secret without platform permission, while disabled, or for rejected data', async () => {
    for (const [options, status, data, code] of [
      [{}, 'active', { a: 1 }, 'FORBIDDEN'],
      [{ verify: { mac: false } }, 'active', { a: 1 }, 'FORBIDDEN'],
      [{ status: 'disabled' }, 'active', { a: 1 }, 'FORBIDDEN'],
      [{ verify: { mac: true } }, 'disabled', { a: 1 }, 'ACCOUNT_INACTIVE'],
      [{ verify: { mac: true }, status: 'disabled' }, 'active', { a: 1 }, 'ACCOUNT_INACTIVE'],
      [{ verify: { mac: true } }, 'active', { a: 2 ** 53 }, 'INVALID_DATA_FORMAT'],
    ] as const) {
      const bench = createWorkbench();
      const platform = samplePlatform({ algorithms: ['hmac-sha256'], ...options });
      bench.serve([platform], [bench.enrol({ ...MAC, status }, SECRET)]);
      expect(refusalOf(await bench.verification.verify(request(MAC_OF_DATA, data), CONTEXT)).code).to.equal(code);
      expect(bench.opened).to.deep.equal([]);
    }
  });

  it('opens no secret for callers without permission, recorded before any other account check', async () => {
    const bench = createWorkbench();
    const platform = samplePlatform({ algorithms: ['hmac-sha256'], verify: { mac: true } });
    const main = bench.enrol(MAC, SECRET);
    const idle = bench.enrol({ ...MAC, accountId: 'idle', status: 'disabled' }, SECRET);
    bench.serve(
      [platform, { ...platform, platformId: 'beta', verify: { mac: false } }],
      [main, idle, { ...main, platformId: 'beta' }],
      [
        { principals: ['desk-7'], accounts: ['*/*'], operations: ['sign', 'read'] },
        { principals: ['desk-8'], accounts: ['alpha/*'], operations: ['verify'] },
      ],
    );
    for (const [platformId, accountId] of [
      ['alpha', 'main'],
      ['alpha', 'idle'],
      ['beta', 'main'],
    ] as const) {
      const requested = { ...request(MAC_OF_DATA, { a: 2 ** 53 }), platformId, accountId };
      const { code, details } = refusalOf(await bench.verification.verify(requested, CONTEXT));
      expect(code).to.equal('FORBIDDEN');
      const { principal } = CONTEXT;
      const expected = { platformId, accountId, operation: 'verify', principal, reason: 'PERMISSION_DENIED' };
      expect(details).to.deep.equal(expected);
    }
    expect(bench.opened).to.deep.equal([]);
    expect(bench.sink.entries.map(({ event, errorCode }) => [event, errorCode])).to.deep.equal(
      Array.from({ length: 3 }, () => ['verify', 'FORBIDDEN']),
    );
    const other = { ...CONTEXT, principal: 'desk-8' };
    expect(acceptedValue(await bench.verification.verify(request(MAC_OF_DATA), other)).valid).to.equal(true);
  });

  it('opens no secret, and returns nothing, while records cannot be written', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
    bench.serve([samplePlatform({ algorithms: ['hmac-sha256'], verify: { mac: true } })], [bench.enrol(MAC, SECRET)]);
    const refusal = refusalOf(await bench.verification.verify(request(MAC_OF_DATA), CONTEXT));
    expect(refusal.details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    expect(bench.opened).to.deep.equal([]);
  });

  it('responds only once the record is durable', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new DelayingAuditSink() });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(7))]);
    const response = bench.verification.verify(request('x'), CONTEXT);
    expect(await isSettled(response)).to.equal(false);
    bench.sink.succeed();
    expect(acceptedValue(await response).valid).to.equal(false);
  });

  it('returns no result whose record could not be made durable', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new DelayingAuditSink() });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(7))]);
    const response = bench.verification.verify(request('x'), CONTEXT);
    await isSettled(response);
    bench.sink.fail();
    expect(refusalOf(await response).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
  });

  it('reports a failure if the secret cannot be opened', async () => {
    const keyStore = new ThrowingKeyStore(new KeyUnavailableError('gone'));
    const bench = createWorkbench({ keyStore });
    bench.serve([samplePlatform({ algorithms: ['hmac-sha256'], verify: { mac: true } })], [bench.enrol(MAC, SECRET)]);
    const refusal = refusalOf(await bench.verification.verify(request(MAC_OF_DATA), CONTEXT));
    expect(refusal).to.deep.include({ code: 'SIGNATURE_FAILED', details: { platformId: 'alpha', accountId: 'main' } });
    expect(bench.sink.entries.at(-1)).to.include({ event: 'verify', outcome: 'failed', errorCode: 'SIGNATURE_FAILED' });
  });

  it('counts neither as a signature nor as an error', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(7))]);
    acceptedValue(await bench.verification.verify(request('x'), CONTEXT));
    refusalOf(await bench.verification.verify({ ...request('x'), accountId: 'nobody' }, CONTEXT));
    expect(bench.usage.totals()).to.deep.include({ totalSigns: 0, errorCount: 0 });
  });
});
