import { expect } from 'chai';
import type { PayloadRule } from '../../../../src/domain/model/payload.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import type { SignRequest } from '../../../../src/domain/model/sign-request.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
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
