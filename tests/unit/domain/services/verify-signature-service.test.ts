import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createDelayedWorkbench, createWorkbench, REQUEST, SigningWorkbench } from './signing-workbench.ts';

const SECRET = samplePrivateKey(7);
const MAC = { algorithm: 'hmac-sha256' } as const;
const MAC_OF_DATA = createHmac('sha256', SECRET).update('{"a":1}').digest('hex');

/** A platform that permits verification of its codes. */
const OPEN = samplePlatform({ verify: { mac: true } });

const request = (signature: string, data: JsonObject = REQUEST.data) => ({ ...REQUEST, data, signature });

describe('VerifySignatureService', () => {
  it('opens no secret without permission of platform or caller, while disabled, or for rejected data', async () => {
    const mac = { verify: { mac: true } };
    for (const [options, status, data, operation, code] of [
      [{}, 'active', { a: 1 }, 'verify', 'FORBIDDEN'],
      [{ status: 'disabled' }, 'active', { a: 1 }, 'verify', 'FORBIDDEN'],
      [mac, 'disabled', { a: 2 ** 53 }, 'sign', 'FORBIDDEN'],
      [mac, 'disabled', { a: 1 }, 'verify', 'ACCOUNT_INACTIVE'],
      [{ ...mac, status: 'disabled' }, 'active', { a: 1 }, 'verify', 'ACCOUNT_INACTIVE'],
      [mac, 'active', { a: 2 ** 53 }, 'verify', 'INVALID_DATA_FORMAT'],
    ] as const) {
      const bench = createWorkbench();
      const permissions = [{ principals: ['*'], accounts: ['*/*'], operations: [operation] }];
      bench.serve([samplePlatform(options)], [bench.enrol({ ...MAC, status }, SECRET)], permissions);
      expect(refusalOf(await bench.signing.verify(request(MAC_OF_DATA, data), CONTEXT)).code).to.equal(code);
      expect(bench.opened).to.deep.equal([]);
    }
  });

  it('opens no secret while records cannot be written', async () => {
    const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
    bench.serve([OPEN], [bench.enrol(MAC, SECRET)]);
    refusalOf(await bench.signing.verify(request(MAC_OF_DATA), CONTEXT));
    expect(bench.opened).to.deep.equal([]);
  });

  it('responds only once the record is durable, with no result otherwise', async () => {
    for (const isDurable of [true, false]) {
      const bench = createDelayedWorkbench();
      const response = bench.signing.verify(request('x'), CONTEXT);
      expect(await isSettled(response)).to.equal(false);
      if (isDurable) bench.sink.succeed();
      else bench.sink.fail();
      const outcome = await response;
      if (isDurable) expect(acceptedValue(outcome).valid).to.equal(false);
      else expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    }
  });
});
