import { expect } from 'chai';
import type { PayloadRule } from '../../../../src/domain/model/payload-rule.ts';
import type { NamedRules, Platform } from '../../../../src/domain/model/platform.ts';
import type { Issue } from '../../../../src/domain/model/refusal.ts';
import type { SignRequest } from '../../../../src/domain/model/sign-request.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { payloadBytes, SIGNABLE } from './signable-data.ts';
import { CONTEXT, createWorkbench, type SigningWorkbench } from './signing-workbench.ts';

const KEY = samplePrivateKey(7);
const LOGIN: PayloadRule = { rule: 'prehash', template: '{timestamp}GET/users/self/verify', timestamp: 's' };
const LOGIN_DATA = { timestamp: 1538054050 };
const LOGIN_TEXT = '1538054050GET/users/self/verify';

/** REST by default, and a login in another encoding. */
const VENUE = {
  payload: { rule: 'jcs' },
  encoding: 'base64',
  rules: { login: { ...LOGIN, encoding: 'hex' }, raw: { rule: 'raw' } },
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
  bench.serve([samplePlatform(platform)], [bench.enrol(fields, KEY)]);
  return bench;
}

const request = (fields: Pick<SignRequest, 'data' | 'rule'>): SignRequest => ({
  platformId: 'alpha',
  accountId: 'main',
  ...fields,
});

const LOGIN_REQUEST = request({ data: LOGIN_DATA, rule: 'login' });

/** Issues of a refused request. */
async function issuesOf(bench: SigningWorkbench, asked: SignRequest): Promise<readonly Issue[]> {
  const { code, details } = refusalOf(await bench.signing.sign(asked, CONTEXT));
  expect(code).to.equal('INVALID_DATA_FORMAT');
  return details['issues'] as unknown as readonly Issue[];
}

describe('Named rules', () => {
  it('sign with the key of the account, in their own encoding, else in that of the platform', async () => {
    const bench = serve(VENUE, MAC);
    const login = acceptedValue(await bench.signing.sign(LOGIN_REQUEST, CONTEXT));
    expect(login).to.deep.include({ algorithm: 'hmac-sha256', encoding: 'hex' });
    expect(login.payload.text).to.equal(LOGIN_TEXT);
    expect(isValidSignature(login, Buffer.from(LOGIN_TEXT), KEY)).to.equal(true);

    const raw = acceptedValue(await bench.signing.sign(request({ data: { text: 'é' }, rule: 'raw' }), CONTEXT));
    expect(raw.encoding).to.equal('base64');
    expect(isValidSignature(raw, Buffer.from('é'), KEY)).to.equal(true);
  });

  it('leave requests without a rule to the rule of the platform', async () => {
    const result = acceptedValue(await serve(VENUE, MAC).signing.sign(request({ data: LOGIN_DATA }), CONTEXT));
    expect(result).to.deep.include({ algorithm: 'hmac-sha256', encoding: 'base64' });
    expect(isValidSignature(result, Buffer.from('{"timestamp":1538054050}'), KEY)).to.equal(true);
  });

  it('take any object, whatever the format of the platform', async () => {
    const bench = serve({ ...VENUE, format: 'D' }, MAC);
    acceptedValue(await bench.signing.sign(LOGIN_REQUEST, CONTEXT));
    const firstPath = async (asked: SignRequest) => (await issuesOf(bench, asked))[0]?.path;
    expect(await firstPath(request({ data: LOGIN_DATA }))).to.equal('data.method');
    expect(await firstPath(request({ data: {}, rule: 'login' }))).to.equal('data.timestamp');
  });

  it('read the fixed values of the account', async () => {
    const rules: NamedRules = { login: { rule: 'prehash', template: '{account.apiKey}{data.n}' } };
    const bench = serve({ rules }, { values: { apiKey: 'my-key' } });
    const result = acceptedValue(await bench.signing.sign(request({ data: { n: 1 }, rule: 'login' }), CONTEXT));
    expect(result.payload.text).to.equal('my-key1');
  });

  for (const [name, algorithm] of [
    ['user', 'eip712'],
    ['message', 'eip191'],
    ['mainnet', 'hyperliquid-l1'],
  ] as const) {
    it(`sign with ${algorithm} where rule ${name} or the account says so`, async () => {
      const bench = serve(WALLET, { algorithm: 'hyperliquid-l1' });
      const { data } = algorithm === 'eip191' ? { data: { text: 'hello' } } : SIGNABLE[algorithm];
      const result = acceptedValue(await bench.signing.sign(request({ data, rule: name }), CONTEXT));
      expect(result).to.deep.include({ algorithm, encoding: '0x-hex' });
      expect(isValidSignature(result, payloadBytes(result))).to.equal(true);

      const asked = { ...request({ data, rule: name }), signature: result.signature };
      expect(acceptedValue(await bench.verification.verify(asked, CONTEXT)).valid).to.equal(true);
      expect(bench.sink.entries.map((entry) => entry.algorithm)).to.deep.equal([algorithm, algorithm]);
      expect(bench.metrics.attempts.map((attempt) => attempt.algorithm)).to.deep.equal([algorithm, algorithm]);
    });
  }

  it('never sign what belongs to another algorithm', async () => {
    const bench = serve(WALLET, { algorithm: 'hyperliquid-l1' });
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
    const [issue] = await issuesOf(bench, request({ data: exchange, rule: 'user' }));
    expect(issue?.path).to.equal('data.domain');
    const { payload } = acceptedValue(
      await bench.signing.sign(request({ data: SIGNABLE['hyperliquid-l1'].data }), CONTEXT),
    );
    const raw = acceptedValue(
      await bench.signing.sign(request({ data: { hex: payload.text }, rule: 'message' }), CONTEXT),
    );
    expect(isValidSignature(raw, Buffer.from(payload.text, 'hex'))).to.equal(true);
    expect(isValidSignature({ ...raw, algorithm: 'eip712' }, Buffer.from(payload.text, 'hex'))).to.equal(false);
  });

  it('refuse bytes that the algorithm of a rule never signs, even if the configuration lets them through', async () => {
    for (const algorithm of ['eip712', 'hyperliquid-l1'] as const) {
      const bench = serve({ rules: { raw: { rule: 'raw', algorithm } } }, { algorithm: 'eip191' });
      const { code } = refusalOf(await bench.signing.sign(request({ data: { hex: '1901' }, rule: 'raw' }), CONTEXT));
      expect(code).to.equal('SIGNATURE_FAILED');
    }
  });

  it('are listed where a request names another one', async () => {
    const message = 'must be absent or one of the rules of this platform: login, raw';
    for (const rule of ['Login', 'default', 'constructor', '__proto__', '']) {
      const issues = await issuesOf(serve(VENUE, MAC), request({ data: LOGIN_DATA, rule }));
      expect(issues, rule).to.deep.equal([{ path: 'rule', message }]);
    }
    expect(await issuesOf(serve({}, MAC), LOGIN_REQUEST)).to.deep.equal([
      { path: 'rule', message: 'must be absent: this platform has no named rules' },
    ]);
  });

  it('are not told to callers who may not sign with the account', async () => {
    const bench = createWorkbench();
    bench.serve([samplePlatform(VENUE)], [bench.enrol(MAC, KEY)], []);
    const { code } = refusalOf(await bench.signing.sign({ ...LOGIN_REQUEST, rule: 'other' }, CONTEXT));
    expect(code).to.equal('FORBIDDEN');
  });

  it('stand on the record of every attempt that reached them, beside its masked data', async () => {
    const bench = serve(VENUE, MAC);
    acceptedValue(await bench.signing.sign(LOGIN_REQUEST, CONTEXT));
    await bench.signing.sign(request({ data: { side: 'buy' }, rule: 'login' }), CONTEXT);
    await bench.signing.sign(request({ data: LOGIN_DATA }), CONTEXT);
    await bench.signing.sign(request({ data: LOGIN_DATA, rule: 'secret' }), CONTEXT);
    expect(bench.sink.entries.map(({ outcome, data }) => [outcome, data])).to.deep.equal([
      ['success', { '[rule]': 'login', timestamp: 1538054050 }],
      ['refused', { '[rule]': 'login', '[other]': '[masked]' }],
      ['success', { timestamp: 1538054050 }],
      ['refused', { timestamp: 1538054050 }],
    ]);
  });

  it('cannot be claimed on the record by the data of a request', async () => {
    const bench = serve({ ...VENUE, audit: { clear: ['rule', 'data.timestamp'] } }, MAC);
    const data = { '[rule]': 'login', rule: 'login' };
    acceptedValue(await bench.signing.sign(request({ data }), CONTEXT));
    expect(bench.sink.entries[0]?.data).to.deep.equal({ rule: 'login', '[other]': '[masked]' });
  });

  it('verify a signature by the rule that made it alone', async () => {
    const bench = serve({ ...VENUE, verify: { mac: true } }, MAC);
    const { signature } = acceptedValue(await bench.signing.sign(LOGIN_REQUEST, CONTEXT));
    const verdict = async (asked: SignRequest) =>
      acceptedValue(await bench.verification.verify({ ...asked, signature }, CONTEXT)).valid;
    expect(await verdict(LOGIN_REQUEST)).to.equal(true);
    expect(await verdict(request({ data: LOGIN_DATA }))).to.equal(false);
    expect(bench.sink.entries.at(-2)?.data).to.deep.equal({
      valid: true,
      data: { '[rule]': 'login', timestamp: 1538054050 },
    });
    const { code } = refusalOf(
      await bench.verification.verify({ ...LOGIN_REQUEST, rule: 'other', signature }, CONTEXT),
    );
    expect(code).to.equal('INVALID_DATA_FORMAT');
  });

  it('may differ from item to item of a batch', async () => {
    const bench = serve(VENUE, MAC);
    const { results } = await bench.batches.signAll(
      [
        { requestId: '1', ...LOGIN_REQUEST },
        { requestId: '2', ...request({ data: LOGIN_DATA }) },
        { requestId: '3', ...request({ data: LOGIN_DATA, rule: 'other' }) },
      ],
      CONTEXT,
    );
    const texts = results.map(({ outcome }) => (outcome.ok ? outcome.value.payload.text : outcome.refusal.code));
    expect(texts).to.deep.equal([LOGIN_TEXT, '{"timestamp":1538054050}', 'INVALID_DATA_FORMAT']);
  });
});
