import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { isValidSignature } from '../../../contracts/independent-verification.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { canonicalize } from '../../../harness/canonicalize.ts';
import { anyText } from '../../../property/any-text.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import {
  CONTEXT,
  createDelayedWorkbench,
  createUnrecordedWorkbench,
  createWorkbench,
  REQUEST,
  SIGNERS,
  serveMain,
} from './signing-workbench.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const digest = (content: string | Uint8Array) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** JSON objects, few of them unsignable. */
const jsonObjects = fc
  .object({
    values: [
      anyText(),
      fc.double({ min: -(2 ** 53), max: 2 ** 53 }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    ],
    maxDepth: 4,
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

const requestOf = (data: JsonObject) => ({ ...REQUEST, data });

describe('SignRequestService', () => {
  it('signs any JSON object that can be signed as sent, in its RFC 8785 form, and records every attempt', async () => {
    const bench = serveMain(createWorkbench());
    let attempts = 0;
    let signed = 0;
    await fc.assert(
      fc.asyncProperty(jsonObjects, async (data) => {
        const outcome = await bench.signing.sign(requestOf(data), CONTEXT);
        attempts += 1;
        if (outcome.ok) {
          signed += 1;
          expect(isValidSignature(outcome.value, utf8(String(canonicalize(data))))).to.equal(true);
        } else {
          expect(outcome.refusal.code).to.equal('INVALID_DATA_FORMAT');
        }
        expect(bench.sink.entries).to.have.length(attempts);
        expect(bench.sink.entries.at(-1)?.outcome).to.equal(outcome.ok ? 'success' : 'refused');
      }),
    );
    expect(signed).to.be.greaterThan(attempts / 2);
  });

  describe('checks, in this order:', () => {
    const bad = { a: 2 ** 53 };
    const good = { a: 1 };
    const cases = [
      ['the account on a disabled platform', 'stopped', 'nobody', bad, 'ACCOUNT_NOT_FOUND', null],
      ['the permission of its caller', 'alpha', 'forbidden', bad, 'FORBIDDEN', 'PERMISSION_DENIED'],
      ["its platform's status", 'stopped', 'disabled', bad, 'ACCOUNT_INACTIVE', 'PLATFORM_DISABLED'],
      ['its status', 'alpha', 'disabled', bad, 'ACCOUNT_INACTIVE', null],
      ['the data', 'alpha', 'denied', bad, 'INVALID_DATA_FORMAT', null],
      ['its policies', 'alpha', 'denied', good, 'POLICY_DENIED', 'DENIED_BY_POLICY'],
      ['its key', 'alpha', 'keyless', good, 'SIGNATURE_FAILED', null],
    ] as const;

    /** No account has a key. */
    async function workbench() {
      const bench = createWorkbench();
      const inactive = { status: 'disabled' } as const;
      const accounts = [
        bench.enrol({ accountId: 'forbidden', ...inactive }, samplePrivateKey(1)),
        bench.enrol({ accountId: 'disabled', ...inactive }, samplePrivateKey(2)),
        bench.enrol({ accountId: 'denied' }, samplePrivateKey(3)),
        bench.enrol({ accountId: 'keyless' }, samplePrivateKey(4)),
        bench.enrol({ platformId: 'stopped', accountId: 'disabled', ...inactive }, samplePrivateKey(5)),
      ];
      for (const { key } of accounts) bench.keyStore.discard(key);
      const platforms = [samplePlatform(), samplePlatform({ platformId: 'stopped', ...inactive })];
      const allowed = ['alpha/disabled', 'alpha/denied', 'alpha/keyless', 'stopped/*'];
      const deny = { name: 'none', accounts: ['*/denied'], effect: 'deny', when: 'true' } as const;
      const policies = await policyCompiler().compile([deny], platforms, new TimeSlice(bench.clock));
      bench.serve(
        platforms,
        accounts,
        [
          { principals: ['desk-7'], accounts: allowed, operations: ['sign'] },
          { principals: ['desk-7'], accounts: ['*/*'], operations: ['verify', 'read'] },
        ],
        policies.ok ? policies.value : expect.fail(),
      );
      return bench;
    }

    for (const [what, platformId, accountId, data, code, reason] of cases) {
      it(`${what}: ${code}`, async () => {
        const bench = await workbench();
        const refusal = refusalOf(await bench.signing.sign({ platformId, accountId, data }, CONTEXT));
        expect(refusal.code).to.equal(code);
        expect(refusal.details['reason'] ?? null).to.equal(reason);
        expect(bench.opened).to.have.length(code === 'SIGNATURE_FAILED' ? 1 : 0);
        expect(bench.sink.entries.map(({ errorCode, platformId: p, accountId: a }) => [errorCode, p, a])).to.deep.equal(
          [[code, platformId, accountId]],
        );
      });
    }
  });

  describe('releases a signature', () => {
    it('not for the durable record of another request', async () => {
      const bench = createDelayedWorkbench();
      const first = bench.signing.sign(requestOf({ n: 1 }), CONTEXT);
      await isSettled(first);
      const second = bench.signing.sign(requestOf({ n: 2 }), CONTEXT);
      await isSettled(second);
      bench.sink.succeed(1);
      expect(acceptedValue(await second).payload.text).to.equal('{"n":2}');
      expect(await isSettled(first)).to.equal(false);
      bench.sink.fail();
      expect(refusalOf(await first).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    });

    it('and opens no key, while records cannot be written', async () => {
      const bench = createUnrecordedWorkbench();
      const { code, details } = refusalOf(await bench.signing.sign(REQUEST, CONTEXT));
      expect({ code, details }).to.deep.equal({
        code: 'SIGNATURE_FAILED',
        details: { reason: 'AUDIT_UNAVAILABLE' },
      });
      expect(bench.opened).to.deep.equal([]);
    });
  });

  it('refuses with SIGNATURE_FAILED without revealing the cause when the signer throws', async () => {
    const cause = new Error('secret scalar 0xdeadbeef at /run/secrets/alpha');
    const throwing = alteredSigner(SIGNERS.ed25519, {
      sign: () => {
        throw cause;
      },
    });
    const bench = serveMain(createWorkbench({ signers: { ...SIGNERS, ed25519: throwing } }));
    const refusal = refusalOf(await bench.signing.sign(REQUEST, CONTEXT));
    expect(refusal.details).to.deep.equal({ platformId: 'alpha', accountId: 'main' });
    expect(refusal.cause).to.equal(cause);
    const shown = `${refusal.message} ${JSON.stringify([refusal.details, bench.sink.entries])}`;
    expect(shown).not.to.match(/secret|scalar|deadbeef|run/);
    expect(
      bench.sink.entries.map(({ outcome, errorCode, payloadDigest, signatureDigest }) => [
        outcome,
        errorCode,
        payloadDigest,
        signatureDigest,
      ]),
    ).to.deep.equal([['failed', 'SIGNATURE_FAILED', digest('{"a":1}'), null]]);
  });

  it('records who requested what, with the digests of the signed bytes and of the signature', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform({ payload: { rule: 'raw' } })], [bench.enrol({}, samplePrivateKey(1))]);
    const { signature, publicKey } = acceptedValue(await bench.signing.sign(requestOf({ hex: '00ff80' }), CONTEXT));
    expect(bench.sink.entries).to.deep.equal([
      {
        time: '2026-11-20T08:49:00.000Z',
        event: 'sign',
        outcome: 'success',
        errorCode: null,
        platformId: 'alpha',
        accountId: 'main',
        algorithm: 'ed25519',
        keyId: createHash('sha256').update(publicKey).digest('hex').slice(0, 16),
        policy: null,
        payloadDigest: digest(Buffer.of(0, 0xff, 0x80)),
        signatureDigest: digest(signature),
        data: { hex: '[masked]' },
        correlationId: 'c-1',
        traceparent: CONTEXT.traceparent,
        batchRequestId: null,
        principal: 'desk-7',
        remoteAddress: '10.1.2.3',
        durationMs: 0,
        instanceId: 'instance-1',
      },
    ]);
  });
});
