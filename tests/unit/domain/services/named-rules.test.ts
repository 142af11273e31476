import { expect } from 'chai';
import type { PayloadRule } from '../../../../src/domain/model/payload-rule.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import type { SignRequest } from '../../../../src/domain/model/sign-request.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { payloadBytes, SIGNABLE } from './signable-data.ts';
import { CONTEXT, createWorkbench, REQUEST, type SigningWorkbench } from './signing-workbench.ts';

const LOGIN: PayloadRule = { rule: 'prehash', template: '{timestamp}GET/users/self/verify', timestamp: 's' };
const LOGIN_DATA = { timestamp: 1538054050 };

/** REST by default, and a login in another encoding. */
const VENUE = {
  payload: { rule: 'jcs' },
  encoding: 'base64',
  rules: { login: { ...LOGIN, encoding: 'hex' } },
} as const satisfies Partial<Platform>;

const MAC = { algorithm: 'hmac-sha256' } as const;

/** L1 actions by default, and beside them what each secp256k1 algorithm signs. */
const WALLET = {
  algorithms: ['hyperliquid-l1'],
  payload: SIGNABLE['hyperliquid-l1'].payload,
  rules: {
    user: { rule: 'typed-data', algorithm: 'eip712' },
    message: { rule: 'raw', algorithm: 'eip191' },
    mainnet: { rule: 'hyperliquid-l1', network: 'mainnet' },
  },
} as const satisfies Partial<Platform>;

function serve(platform: Partial<Platform>, fields: Parameters<SigningWorkbench['enrol']>[0] = {}): SigningWorkbench {
  const bench = createWorkbench({ verifySignatures: true });
  bench.serve([samplePlatform(platform)], [bench.enrol(fields, samplePrivateKey(7))]);
  return bench;
}

const requestOf = (data: SignRequest['data'], rule?: string): SignRequest => ({
  ...{ ...REQUEST, data },
  ...(rule === undefined ? {} : { rule }),
});

describe('Named rules', () => {
  it('take any object, whatever the format of the platform', async () => {
    const bench = serve({ ...VENUE, format: 'D' }, MAC);
    acceptedValue(await bench.signing.sign(requestOf(LOGIN_DATA, 'login'), CONTEXT));
    expect(refusalOf(await bench.signing.sign(requestOf(LOGIN_DATA), CONTEXT)).code).to.equal('INVALID_DATA_FORMAT');
  });

  for (const [name, algorithm] of [
    ['user', 'eip712'],
    ['message', 'eip191'],
    ['mainnet', 'hyperliquid-l1'],
  ] as const) {
    it(`sign and verify with ${algorithm} where rule ${name} or the account says so`, async () => {
      const bench = serve(WALLET, { algorithm: 'hyperliquid-l1' });
      const request = requestOf(algorithm === 'eip191' ? { text: 'hello' } : SIGNABLE[algorithm].data, name);
      const result = acceptedValue(await bench.signing.sign(request, CONTEXT));
      expect(result).to.deep.include({ algorithm, encoding: '0x-hex' });
      expect(isValidSignature(result, payloadBytes(result))).to.equal(true);

      const checked = { ...request, signature: result.signature };
      expect(acceptedValue(await bench.verification.verify(checked, CONTEXT)).valid).to.equal(true);
      expect(bench.sink.entries.map((entry) => entry.algorithm)).to.deep.equal([algorithm, algorithm]);
      expect(bench.metrics.attempts.map((attempt) => attempt.algorithm)).to.deep.equal([algorithm, algorithm]);
    });
  }

  it('never sign what belongs to another algorithm', async () => {
    const bench = serve(WALLET, { algorithm: 'hyperliquid-l1' });
    const sign = (request: SignRequest) => bench.signing.sign(request, CONTEXT);
    const exchange = {
      domain: {
        name: 'Exchange',
        version: '1',
        chainId: 1337,
        verifyingContract: '0x0000000000000000000000000000000000000000',
      },
      types: { Agent: [{ name: 'source', type: 'string' }] },
      primaryType: 'Agent',
      message: { source: 'a' },
    };
    const refusal = refusalOf(await sign(requestOf(exchange, 'user')));
    expect(refusal.details).to.have.nested.property('issues[0].path', 'data.domain');
    const { payload } = acceptedValue(await sign(requestOf(SIGNABLE['hyperliquid-l1'].data)));
    const raw = acceptedValue(await sign(requestOf({ hex: payload.text }, 'message')));
    expect(isValidSignature({ ...raw, algorithm: 'eip712' }, Buffer.from(payload.text, 'hex'))).to.equal(false);
  });

  it('refuse bytes that the algorithm of a rule never signs, even if the configuration lets them through', async () => {
    for (const algorithm of ['eip712', 'hyperliquid-l1'] as const) {
      const bench = serve({ rules: { raw: { rule: 'raw', algorithm } } }, { algorithm: 'eip191' });
      const { code } = refusalOf(await bench.signing.sign(requestOf({ hex: '1901' }, 'raw'), CONTEXT));
      expect(code).to.equal('SIGNATURE_FAILED');
    }
  });

  it('are not listed to callers who may not sign with the account', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform(VENUE)], [bench.enrol(MAC, samplePrivateKey(7))], []);
    const { code } = refusalOf(await bench.signing.sign(requestOf(LOGIN_DATA, 'other'), CONTEXT));
    expect(code).to.equal('FORBIDDEN');
  });

  it('are on the record of every attempt that reached them, beside its masked data, which cannot claim them', async () => {
    const bench = serve({ ...VENUE, audit: { clear: ['rule'] } }, MAC);
    for (const request of [
      requestOf(LOGIN_DATA, 'login'),
      requestOf({ side: 'buy' }, 'login'),
      requestOf(LOGIN_DATA, 'secret'),
      requestOf({ '[rule]': 'login', rule: 'login' }),
    ]) {
      await bench.signing.sign(request, CONTEXT);
    }
    expect(bench.sink.entries.map(({ outcome, data }) => [outcome, data])).to.deep.equal([
      ['success', { '[rule]': 'login', timestamp: 1538054050 }],
      ['refused', { '[rule]': 'login', '[other]': '[masked]' }],
      ['refused', { timestamp: 1538054050 }],
      ['success', { rule: 'login', '[other]': '[masked]' }],
    ]);
  });
});
