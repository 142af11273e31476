import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { ALGORITHMS, isMacAlgorithm } from '../../../../src/domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { ThrowingKeyStore } from '../../../doubles/throwing-key-store.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { SIGNABLE } from './signable-data.ts';
import { CONTEXT, createDelayedWorkbench, createWorkbench, REQUEST, SigningWorkbench } from './signing-workbench.ts';

const SECRET = samplePrivateKey(7);
const MAC = { algorithm: 'hmac-sha256' } as const;
const MAC_OF_DATA = createHmac('sha256', SECRET).update('{"a":1}').digest('hex');

/** A platform that permits verification of its codes. */
const OPEN = samplePlatform({ verify: { mac: true } });

const request = (signature: string, data: JsonObject = REQUEST.data) => ({ ...REQUEST, data, signature });

describe('VerifySignatureService', () => {
  for (const algorithm of ALGORITHMS) {
    const opened = isMacAlgorithm(algorithm) ? 1 : 0;

    it(`accepts a signature by ${algorithm} of the account alone, with ${opened} keys opened`, async () => {
      const bench = createWorkbench();
      const { payload, data } = SIGNABLE[algorithm];
      const own = bench.enrol({ algorithm }, samplePrivateKey(7, algorithm));
      const other = bench.enrol({ algorithm, accountId: 'other' }, samplePrivateKey(8, algorithm));
      bench.serve([{ ...OPEN, payload }], [own, other]);
      for (const accountId of ['main', 'other']) {
        const { signature } = acceptedValue(await bench.signing.sign({ ...REQUEST, accountId, data }, CONTEXT));
        const before = bench.opened.length;
        const { valid } = acceptedValue(await bench.verification.verify(request(signature, data), CONTEXT));
        expect(valid, accountId).to.equal(accountId === 'main');
        expect(bench.opened.length - before).to.equal(opened);
      }
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
      bench.serve([samplePlatform(options)], [bench.enrol({ ...MAC, status }, SECRET)]);
      expect(refusalOf(await bench.verification.verify(request(MAC_OF_DATA, data), CONTEXT)).code).to.equal(code);
      expect(bench.opened).to.deep.equal([]);
    }
  });

  it('opens no secret for callers without permission, which is checked before all but the account', async () => {
    const bench = createWorkbench();
    const idle = bench.enrol({ ...MAC, status: 'disabled' }, SECRET);
    bench.serve([samplePlatform()], [idle], [{ principals: ['*'], accounts: ['*/*'], operations: ['sign', 'read'] }]);
    const refusal = refusalOf(await bench.verification.verify(request(MAC_OF_DATA, { a: 2 ** 53 }), CONTEXT));
    expect(refusal.details).to.deep.include({ operation: 'verify', reason: 'PERMISSION_DENIED' });
    expect(bench.opened).to.deep.equal([]);
  });

  it('opens no secret while records cannot be written', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
    bench.serve([OPEN], [bench.enrol(MAC, SECRET)]);
    refusalOf(await bench.verification.verify(request(MAC_OF_DATA), CONTEXT));
    expect(bench.opened).to.deep.equal([]);
  });

  it('responds only once the record is durable, with no result otherwise', async () => {
    for (const isDurable of [true, false]) {
      const bench = createDelayedWorkbench();
      const response = bench.verification.verify(request('x'), CONTEXT);
      expect(await isSettled(response)).to.equal(false);
      if (isDurable) bench.sink.succeed();
      else bench.sink.fail();
      const outcome = await response;
      if (isDurable) expect(acceptedValue(outcome).valid).to.equal(false);
      else expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    }
  });

  it('reports a failure if the secret cannot be opened', async () => {
    const bench = createWorkbench({ keyStore: new ThrowingKeyStore(new KeyUnavailableError('gone')) });
    bench.serve([OPEN], [bench.enrol(MAC, SECRET)]);
    const refusal = refusalOf(await bench.verification.verify(request(MAC_OF_DATA), CONTEXT));
    expect(refusal).to.deep.include({ code: 'SIGNATURE_FAILED', details: { platformId: 'alpha', accountId: 'main' } });
    expect(bench.sink.entries.at(-1)).to.include({ event: 'verify', outcome: 'failed', errorCode: 'SIGNATURE_FAILED' });
  });
});
