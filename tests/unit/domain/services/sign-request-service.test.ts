import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import { ALGORITHMS, SIGNATURE_ENCODINGS } from '../../../../src/domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { DATA_FORMATS } from '../../../../src/domain/model/platform.ts';
import { SigningPerformance } from '../../../../src/domain/services/sign-request-service.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { ThrowingKeyStore } from '../../../doubles/throwing-key-store.ts';
import { isSettled } from './is-settled.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { SAMPLE_DATA } from './sample-data.ts';
import { MESSAGE_ALGORITHMS, payloadBytes, SIGNABLE } from './signable-data.ts';
import { CONTEXT, createWorkbench, SIGNERS, SigningWorkbench } from './signing-workbench.ts';

const utf8 = (text: string) => Buffer.from(text, 'utf8');
const digest = (content: string | Uint8Array) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** JSON objects, few of them unsignable. */
const jsonObjects = fc
  .object({
    values: [
      fc.string({ unit: 'binary' }),
      fc.double({ min: -(2 ** 53), max: 2 ** 53 }),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
    ],
    maxDepth: 4,
  })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject);

/** A request for alpha/main. */
const request = (data: JsonObject = { a: 1 }) => ({ platformId: 'alpha', accountId: 'main', data });

describe('SignRequestService', () => {
  describe('signs', () => {
    for (const format of DATA_FORMATS) {
      for (const algorithm of MESSAGE_ALGORITHMS) {
        it(`format ${format} with ${algorithm}: exactly the bytes of its rule, by the account's key`, async () => {
          const bench = createWorkbench();
          const account = bench.enrol({ algorithm }, samplePrivateKey(7, algorithm));
          bench.serve([samplePlatform({ format })], [account]);
          const { data, text } = SAMPLE_DATA[format];
          const result = acceptedValue(await bench.signing.sign(request(data), CONTEXT));
          expect(isValidSignature(result, utf8(text), samplePrivateKey(7, algorithm))).to.equal(true);
          expect(result).to.deep.include({ algorithm, publicKey: account.publicKey });
          expect(result.payload.text).to.equal(text);
        });
      }
    }

    for (const encoding of SIGNATURE_ENCODINGS) {
      for (const algorithm of ALGORITHMS) {
        it(`with ${algorithm} in ${encoding} if the platform configures it`, async () => {
          const bench = createWorkbench();
          const { payload, data } = SIGNABLE[algorithm];
          bench.serve(
            [samplePlatform({ encoding, payload })],
            [bench.enrol({ algorithm }, samplePrivateKey(7, algorithm))],
          );
          const result = acceptedValue(await bench.signing.sign(request(data), CONTEXT));
          expect(result.encoding).to.equal(encoding);
          expect(isValidSignature(result, payloadBytes(result), samplePrivateKey(7, algorithm))).to.equal(true);
        });
      }
    }

    it('an HMAC in hex by default', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform()], [bench.enrol({ algorithm: 'hmac-sha512' }, samplePrivateKey(1))]);
      const { encoding, signature } = acceptedValue(await bench.signing.sign(request(), CONTEXT));
      expect(encoding).to.equal('hex');
      expect(signature).to.match(/^[0-9a-f]{128}$/);
    });

    it('ed25519 in base58 and eip191 in 0x-hex by default', async () => {
      const bench = createWorkbench();
      const solana = bench.enrol({ accountId: 'ed' }, samplePrivateKey(1));
      const ethereum = bench.enrol({ accountId: 'eth', algorithm: 'eip191' }, samplePrivateKey(2));
      bench.serve([samplePlatform()], [solana, ethereum]);
      const ed = acceptedValue(await bench.signing.sign({ ...request(), accountId: 'ed' }, CONTEXT));
      const eth = acceptedValue(await bench.signing.sign({ ...request(), accountId: 'eth' }, CONTEXT));
      expect(ed.encoding).to.equal('base58');
      expect(ed.signature).to.match(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
      expect(eth.encoding).to.equal('0x-hex');
      expect(eth.signature).to.match(/^0x[0-9a-f]{128}(1b|1c)$/);
    });

    it('the exact bytes of raw data, and records their digest', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform({ payload: { rule: 'raw' } })], [bench.enrol({}, samplePrivateKey(1))]);
      const result = acceptedValue(await bench.signing.sign(request({ hex: '00ff80' }), CONTEXT));
      expect(isValidSignature(result, Buffer.of(0, 0xff, 0x80))).to.equal(true);
      expect(bench.sink.entries[0]?.payloadDigest).to.equal(digest(Buffer.of(0, 0xff, 0x80)));
    });

    it('and returns the time, in UTC with milliseconds', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      bench.clock.set('2026-12-31T23:59:59.007Z');
      const { signedAt } = acceptedValue(await bench.signing.sign(request(), CONTEXT));
      expect(signedAt).to.equal('2026-12-31T23:59:59.007Z');
    });

    it('any JSON object that can be signed as sent, in its RFC 8785 form, and records every attempt', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      let attempts = 0;
      let signed = 0;
      await fc.assert(
        fc.asyncProperty(jsonObjects, async (data) => {
          const outcome = await bench.signing.sign(request(data), CONTEXT);
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
  });

  describe('opens keys', () => {
    it('only of the requested account, and once', async () => {
      const bench = createWorkbench();
      const accounts = [
        bench.enrol({ accountId: 'main' }, samplePrivateKey(1)),
        bench.enrol({ accountId: 'spare' }, samplePrivateKey(2)),
        bench.enrol({ platformId: 'beta', accountId: 'main', algorithm: 'eip191' }, samplePrivateKey(3)),
      ];
      bench.serve([samplePlatform(), samplePlatform({ platformId: 'beta' })], accounts);
      bench.keyStore.calls.length = 0;

      const result = acceptedValue(await bench.signing.sign({ ...request(), platformId: 'beta' }, CONTEXT));
      expect(bench.keyStore.calls).to.deep.equal([
        { call: 'use', identity: { platformId: 'beta', accountId: 'main', algorithm: 'eip191' } },
      ]);
      expect(result.publicKey).to.equal(accounts[2]?.publicKey);

      await bench.signing.sign(request(), CONTEXT);
      expect(bench.opened.slice(1)).to.deep.equal([{ platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' }]);
    });
  });

  describe('checks, in this order:', () => {
    const bad = { instruction: { type: 'order' } };
    const good = SAMPLE_DATA.A.data;
    const cases = [
      ['ID of the platform', 'nowhere', 'nobody', bad, 'PLATFORM_NOT_SUPPORTED'],
      ['the account', 'alpha', 'nobody', bad, 'ACCOUNT_NOT_FOUND'],
      ['its status', 'alpha', 'disabled', bad, 'ACCOUNT_INACTIVE'],
      ['the account on a disabled platform', 'stopped', 'nobody', bad, 'ACCOUNT_NOT_FOUND'],
      ["its platform's status", 'stopped', 'keyless', bad, 'ACCOUNT_INACTIVE'],
      ['the data', 'alpha', 'keyless', bad, 'INVALID_DATA_FORMAT'],
      ['the key', 'alpha', 'keyless', good, 'SIGNATURE_FAILED'],
    ] as const;

    function workbench() {
      const bench = createWorkbench();
      const disabled = bench.enrol({ accountId: 'disabled', status: 'disabled' }, samplePrivateKey(1));
      const keyless = bench.enrol({ accountId: 'keyless' }, samplePrivateKey(2));
      const stopped = bench.enrol({ platformId: 'stopped', accountId: 'keyless' }, samplePrivateKey(3));
      bench.serve(
        [samplePlatform({ format: 'A' }), samplePlatform({ platformId: 'stopped', format: 'A', status: 'disabled' })],
        [disabled, keyless, stopped],
      );
      for (const { key } of [disabled, keyless, stopped]) bench.keyStore.discard(key);
      return bench;
    }

    for (const [what, platformId, accountId, data, code] of cases) {
      it(`${what}: ${code}`, async () => {
        const bench = workbench();
        const refusal = refusalOf(await bench.signing.sign({ platformId, accountId, data }, CONTEXT));
        expect(refusal.code).to.equal(code);
        expect(bench.opened).to.have.length(code === 'SIGNATURE_FAILED' ? 1 : 0);
        expect(bench.sink.entries.map(({ errorCode, platformId: p, accountId: a }) => [errorCode, p, a])).to.deep.equal(
          [[code, platformId, accountId]],
        );
      });
    }

    it('and reports which ids were not found', async () => {
      const bench = workbench();
      const nobody = { platformId: 'alpha', accountId: 'nobody', data: good };
      expect(refusalOf(await bench.signing.sign(nobody, CONTEXT)).details).to.deep.equal({
        platformId: 'alpha',
        accountId: 'nobody',
      });
      const nowhere = { platformId: 'nowhere', accountId: 'keyless', data: good };
      expect(refusalOf(await bench.signing.sign(nowhere, CONTEXT)).details).to.deep.equal({ platformId: 'nowhere' });
    });

    it('and reports whether the account or its platform is disabled, the platform first', async () => {
      const bench = workbench();
      const account = bench.registry.current.account('alpha', 'disabled');
      const ids = { platformId: 'alpha', accountId: 'disabled' };
      const sign = async () => refusalOf(await bench.signing.sign({ ...ids, data: good }, CONTEXT));
      expect(await sign()).to.deep.equal({
        code: 'ACCOUNT_INACTIVE',
        message: 'This account is disabled.',
        details: ids,
      });
      bench.serve([samplePlatform({ status: 'disabled' })], account === undefined ? [] : [account]);
      expect(await sign()).to.deep.equal({
        code: 'ACCOUNT_INACTIVE',
        message: 'The platform of this account is disabled.',
        details: { ...ids, reason: 'PLATFORM_DISABLED' },
      });
    });

    it('the permission of the caller: after the account, before its status and the data', async () => {
      const bench = createWorkbench();
      const main = bench.enrol({}, samplePrivateKey(1));
      const idle = bench.enrol({ accountId: 'idle', status: 'disabled' }, samplePrivateKey(2));
      bench.serve(
        [samplePlatform()],
        [main, idle],
        [
          { principals: ['desk-7'], accounts: ['alpha/main'], operations: ['verify', 'read'] },
          { principals: ['desk-8'], accounts: ['alpha/main'], operations: ['sign'] },
        ],
      );
      for (const [accountId, data, code] of [
        ['main', { a: 1 }, 'FORBIDDEN'],
        ['main', { a: 2 ** 53 }, 'FORBIDDEN'],
        ['idle', { a: 1 }, 'FORBIDDEN'],
        ['nobody', { a: 1 }, 'ACCOUNT_NOT_FOUND'],
      ] as const) {
        const refusal = refusalOf(await bench.signing.sign({ ...request(data), accountId }, CONTEXT));
        expect(refusal.code, accountId).to.equal(code);
        if (code !== 'FORBIDDEN') continue;
        const { principal } = CONTEXT;
        const details = { platformId: 'alpha', accountId, operation: 'sign', principal, reason: 'PERMISSION_DENIED' };
        expect(refusal.details).to.deep.equal(details);
      }
      expect(bench.opened).to.deep.equal([]);
      expect(
        bench.sink.entries.map(({ outcome, errorCode, principal }) => [outcome, errorCode, principal]),
      ).to.deep.equal([
        ...Array.from({ length: 3 }, () => ['refused', 'FORBIDDEN', CONTEXT.principal]),
        ['refused', 'ACCOUNT_NOT_FOUND', CONTEXT.principal],
      ]);
      expect(bench.usage.usage('alpha', 'main').errorCount).to.equal(2);
      expect(bench.performance.unrecorded).to.equal(0);
      acceptedValue(await bench.signing.sign(request(), { ...CONTEXT, principal: 'desk-8' }));
    });

    it('and finds no account under a removed platform', async () => {
      const bench = createWorkbench();
      bench.serve([], [bench.enrol({}, samplePrivateKey(1))]);
      expect(refusalOf(await bench.signing.sign(request(), CONTEXT)).code).to.equal('PLATFORM_NOT_SUPPORTED');
    });
  });

  describe('refuses data', () => {
    const wrong: readonly (readonly [string, Parameters<typeof samplePlatform>[0], JsonObject, string])[] = [
      [
        'without a field that its format shows',
        { format: 'A' },
        { nonce: 1, instruction: {} },
        'data.instruction.type',
      ],
      ['with a nonce in words', { format: 'A' }, { ...SAMPLE_DATA.A.data, nonce: '1' }, 'data.nonce'],
      ['with an integer that was rounded', {}, { deep: { n: 2 ** 53 } }, 'data.deep.n'],
      ['with an invalid number', {}, { n: Number.POSITIVE_INFINITY }, 'data.n'],
      ['with a member named __proto__', {}, JSON.parse('{"__proto__":1}') as JsonObject, 'data.__proto__'],
      ['that its rule cannot be applied to', { payload: { rule: 'raw' } }, { hex: 'xyz' }, 'data.hex'],
    ];
    for (const [what, platform, data, path] of wrong) {
      it(`${what}, and names the path`, async () => {
        const bench = createWorkbench();
        bench.serve([samplePlatform(platform)], [bench.enrol({}, samplePrivateKey(1))]);
        const { code, details } = refusalOf(await bench.signing.sign(request(data), CONTEXT));
        expect(code).to.equal('INVALID_DATA_FORMAT');
        const issues = details['issues'] as unknown as readonly { path: string; message: string }[];
        expect(issues.map((issue) => issue.path)).to.include(path);
        expect(bench.opened).to.deep.equal([]);
      });
    }

    it('that a policy denies, and opens no key', async () => {
      const bench = createWorkbench();
      const entry = { name: 'none', accounts: ['*/*'], effect: 'deny', when: 'true' } as const;
      const platform = samplePlatform();
      const policies = await policyCompiler().compile([entry], [platform], new TimeSlice(bench.clock));
      bench.serve([platform], [bench.enrol({}, samplePrivateKey(1))], null, policies.ok ? policies.value : undefined);
      expect(refusalOf(await bench.signing.sign(request(), CONTEXT)).code).to.equal('POLICY_DENIED');
      expect(bench.opened).to.deep.equal([]);
    });

    it('of 20,000 levels without a stack overflow', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform({ format: 'A' })], [bench.enrol({}, samplePrivateKey(1))]);
      const data = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject;
      expect(refusalOf(await bench.signing.sign(request(data), CONTEXT)).code).to.equal('INVALID_DATA_FORMAT');
    });
  });

  describe('releases a signature', () => {
    function delayed() {
      const bench = new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) });
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      return bench;
    }

    it('not before its audit record is durable', async () => {
      const bench = delayed();
      const response = bench.signing.sign(request(), CONTEXT);
      expect(await isSettled(response)).to.equal(false);
      expect(bench.sink.waiting).to.have.length(1);

      bench.sink.succeed();
      const { signature } = acceptedValue(await response);
      expect(bench.sink.durable[0]).to.deep.include({ outcome: 'success', signatureDigest: digest(signature) });
    });

    it('not for the durable record of another request', async () => {
      const bench = delayed();
      const first = bench.signing.sign(request({ n: 1 }), CONTEXT);
      await isSettled(first);
      const second = bench.signing.sign(request({ n: 2 }), CONTEXT);
      await isSettled(second);
      bench.sink.succeed(1);
      expect(acceptedValue(await second).payload.text).to.equal('{"n":2}');
      expect(await isSettled(first)).to.equal(false);
      bench.sink.fail();
      expect(refusalOf(await first).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    });

    it('together with others of its event-loop turn, once all their records are durable', async () => {
      const bench = delayed();
      const responses = [1, 2, 3].map((n) => bench.signing.sign(request({ n }), CONTEXT));
      await isSettled(Promise.all(responses));
      expect(bench.sink.waiting).to.have.length(3);
      bench.sink.succeed();
      const texts = (await Promise.all(responses)).map((outcome) => acceptedValue(outcome).payload.text);
      expect(texts).to.deep.equal(['{"n":1}', '{"n":2}', '{"n":3}']);
    });

    it('not at all when the record cannot be written', async () => {
      const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      const withheld = acceptedValue(await signedElsewhere());
      const outcome = await bench.signing.sign(request(), CONTEXT);

      const { code, message, details } = refusalOf(outcome);
      expect(code).to.equal('SIGNATURE_FAILED');
      expect(details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
      expect(message).to.match(/audit record/);
      expect(JSON.stringify(outcome)).not.to.contain(withheld.signature);
    });

    it('and opens no key while records cannot be written', async () => {
      const bench = new SigningWorkbench({ makeSink: () => new FailingAuditSink() });
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      const before = bench.keyStore.calls.length;
      await bench.signing.sign(request(), CONTEXT);
      expect(bench.keyStore.calls.slice(before)).to.deep.equal([]);
    });

    it('but also returns a refusal only once it is recorded', async () => {
      const bench = delayed();
      const response = bench.signing.sign({ ...request(), accountId: 'nobody' }, CONTEXT);
      expect(await isSettled(response)).to.equal(false);
      bench.sink.succeed();
      expect(refusalOf(await response).code).to.equal('ACCOUNT_NOT_FOUND');

      const unrecorded = bench.signing.sign({ ...request(), accountId: 'nobody' }, CONTEXT);
      await isSettled(unrecorded);
      bench.sink.fail();
      expect(refusalOf(await unrecorded).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    });

    /** Signatures are deterministic: another service's is the one to withhold. */
    function signedElsewhere() {
      const bench = createWorkbench();
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      return bench.signing.sign(request(), CONTEXT);
    }
  });

  describe('refuses with SIGNATURE_FAILED without revealing the cause', () => {
    const cause = new Error('secret scalar 0xdeadbeef at /run/secrets/alpha');
    const throwing = alteredSigner(SIGNERS.ed25519, {
      sign: () => {
        throw cause;
      },
    });
    const benches = {
      'when the signer throws': () => createWorkbench({ signers: { ...SIGNERS, ed25519: throwing } }),
      'when the key store throws': () => createWorkbench({ keyStore: new ThrowingKeyStore(cause) }),
    };
    for (const [when, makeBench] of Object.entries(benches)) {
      it(when, async () => {
        const bench = makeBench();
        bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
        const { code, message, details, cause: logged } = refusalOf(await bench.signing.sign(request(), CONTEXT));
        expect({ code, details }).to.deep.equal({
          code: 'SIGNATURE_FAILED',
          details: { platformId: 'alpha', accountId: 'main' },
        });
        for (const word of ['secret', 'scalar', 'deadbeef', 'run']) {
          expect(`${message} ${JSON.stringify(details)} ${JSON.stringify(bench.sink.entries)}`).not.to.contain(word);
        }
        expect(logged).to.equal(cause);
        expect(bench.sink.entries).to.have.length(1);
        expect(bench.sink.entries[0]).to.deep.include({
          outcome: 'failed',
          errorCode: 'SIGNATURE_FAILED',
          algorithm: 'ed25519',
          payloadDigest: digest('{"a":1}'),
          signatureDigest: null,
        });
      });
    }

    it('when the key store no longer holds the key, and keeps signing for other accounts', async () => {
      const bench = createWorkbench();
      const main = bench.enrol({}, samplePrivateKey(1));
      bench.serve([samplePlatform()], [main, bench.enrol({ accountId: 'spare' }, samplePrivateKey(2))]);
      bench.keyStore.discard(main.key);
      const refusal = refusalOf(await bench.signing.sign(request(), CONTEXT));
      expect(refusal.code).to.equal('SIGNATURE_FAILED');
      expect(refusal.cause).to.be.instanceOf(KeyUnavailableError);
      acceptedValue(await bench.signing.sign({ ...request(), accountId: 'spare' }, CONTEXT));
    });
  });

  describe('records', () => {
    it('who requested what, the digests of what was signed and of the signature, and how long it took', async () => {
      const bench = createWorkbench();
      bench.serve([samplePlatform({ format: 'C' })], [bench.enrol({ algorithm: 'eip191' }, samplePrivateKey(1))]);
      const { data, text } = SAMPLE_DATA.C;
      const { signature, publicKey } = acceptedValue(await bench.signing.sign(request(data), CONTEXT));
      expect(bench.sink.entries).to.deep.equal([
        {
          time: '2026-11-20T08:49:00.000Z',
          event: 'sign',
          outcome: 'success',
          errorCode: null,
          platformId: 'alpha',
          accountId: 'main',
          algorithm: 'eip191',
          keyId: createHash('sha256').update(publicKey).digest('hex').slice(0, 16),
          policy: null,
          payloadDigest: digest(text),
          signatureDigest: digest(signature),
          data: {
            '[other]': '[masked]',
            params: {
              symbol: 'BTCUSDT',
              side: 'BUY',
              type: 'LIMIT',
              quantity: '[masked]',
              price: '[masked]',
              timestamp: 1763628540123,
            },
          },
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

    it('neither the signature nor private values', async () => {
      for (const format of DATA_FORMATS) {
        const bench = createWorkbench();
        bench.serve([samplePlatform({ format })], [bench.enrol({}, samplePrivateKey(1))]);
        const data = { ...SAMPLE_DATA[format].data, apiSecret: 'hunter2' };
        const { signature } = acceptedValue(await bench.signing.sign(request(data), CONTEXT));
        const record = JSON.stringify(bench.sink.entries);
        for (const word of [signature, 'hunter2', 'apiSecret', '150.25', '3000', '50000', '2.15']) {
          expect(record, format).not.to.contain(word);
        }
      }
    });
  });

  describe('derives counters from the records:', () => {
    it('signatures and errors per account, including refusals, and unknown accounts only in totals', async () => {
      const bench = createWorkbench();
      const disabled = bench.enrol({ accountId: 'disabled', status: 'disabled' }, samplePrivateKey(2));
      bench.serve([samplePlatform({ format: 'A' })], [bench.enrol({}, samplePrivateKey(1)), disabled]);
      const { data } = SAMPLE_DATA.A;
      await bench.signing.sign(request(data), CONTEXT);
      bench.clock.advance(1000);
      await bench.signing.sign(request(data), CONTEXT);
      bench.clock.advance(1000);
      await bench.signing.sign(request({}), CONTEXT);
      await bench.signing.sign({ ...request(data), accountId: 'disabled' }, CONTEXT);
      await bench.signing.sign({ ...request(data), accountId: 'nobody' }, CONTEXT);
      await bench.signing.sign({ ...request(data), platformId: 'nowhere' }, CONTEXT);

      expect(bench.usage.usage('alpha', 'main')).to.deep.equal({
        totalSigns: 2,
        lastSignAt: '2026-11-20T08:49:01.000Z',
        errorCount: 1,
      });
      expect(bench.usage.usage('alpha', 'disabled')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
      expect(bench.usage.usage('alpha', 'nobody').errorCount).to.equal(0);
      expect(bench.usage.totals()).to.deep.equal({ totalSigns: 2, errorCount: 4 });
    });
  });

  describe('records about its own work', () => {
    function delayed() {
      const bench = new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) });
      bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
      return bench;
    }

    it('the time from request to durable record, only for signatures', async () => {
      const bench = delayed();
      const released = bench.signing.sign(request(), CONTEXT);
      await isSettled(released);
      bench.clock.advance(12.5);
      bench.sink.succeed();
      await released;
      const refused = bench.signing.sign({ ...request(), accountId: 'nobody' }, CONTEXT);
      await isSettled(refused);
      bench.clock.advance(1000);
      bench.sink.succeed();
      await refused;
      expect(bench.performance.avgSigningTimeMs).to.equal(12.5);
      expect(bench.performance.unrecorded).to.equal(0);
    });

    it('each attempt that could not be recorded, regardless of its outcome', async () => {
      const bench = delayed();
      for (const accountId of ['main', 'nobody']) {
        const attempt = bench.signing.sign({ ...request(), accountId }, CONTEXT);
        await isSettled(attempt);
        bench.clock.advance(7);
        bench.sink.fail();
        await attempt;
      }
      expect(bench.performance.unrecorded).to.equal(2);
      expect(bench.performance.avgSigningTimeMs).to.equal(0);
      expect(bench.usage.totals()).to.deep.equal({ totalSigns: 0, errorCount: 0 });
    });
  });
});

describe('SigningPerformance', () => {
  it('starts without a mean time and without unrecorded attempts', () => {
    const { avgSigningTimeMs, unrecorded } = new SigningPerformance();
    expect({ avgSigningTimeMs, unrecorded }).to.deep.equal({ avgSigningTimeMs: 0, unrecorded: 0 });
  });

  it('returns the mean time of released signatures, ignoring unrecorded attempts', () => {
    const performance = new SigningPerformance();
    performance.countReleased(1.5);
    performance.countUnrecorded();
    performance.countReleased(2.5);
    expect(performance.avgSigningTimeMs).to.equal(2);
    expect(performance.unrecorded).to.equal(1);
  });
});
