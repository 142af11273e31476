import { expect } from 'chai';
import { ZodDataFormatValidator } from '../../../../src/adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { NodeHasher } from '../../../../src/adapters/driven/hasher/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../../../src/adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import { ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import { DATA_FORMATS } from '../../../../src/domain/model/data-format.ts';
import { PayloadMaker } from '../../../../src/domain/services/payload-maker.ts';
import { samplePlatform } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { SAMPLE_DATA } from './sample-data.ts';
import { payloadBytes, SIGNABLE } from './signable-data.ts';

const ACCOUNT: Account = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'Alpha main',
  status: 'active',
  environment: 'production',
  algorithm: 'hmac-sha256',
  publicKey: 'hmac:0123456789abcdef',
  createdAt: '2026-01-01T00:00:00.000Z',
  key: { id: 'handle' },
};

describe('PayloadMaker', () => {
  const maker = new PayloadMaker(new ZodDataFormatValidator(), new NodeHasher(), new EthersTypedDataEncoder());

  for (const format of DATA_FORMATS) {
    it(`makes of data of format ${format} the bytes of the format's rule`, () => {
      const { data, text } = SAMPLE_DATA[format];
      const payload = acceptedValue(maker.make(samplePlatform({ format }), ACCOUNT, data));
      expect(payload.text).to.equal(text);
      expect(Buffer.from(payload.bytes).toString('utf8')).to.equal(text);
    });
  }

  for (const algorithm of ALGORITHMS) {
    it(`makes a message that ${algorithm} signs, the same each time, and says its bytes as text`, () => {
      const { payload: rule, data } = SIGNABLE[algorithm];
      const platform = samplePlatform({ payload: rule });
      const payload = acceptedValue(maker.make(platform, { ...ACCOUNT, algorithm }, data));
      expect(payloadBytes({ payload })).to.deep.equal(Buffer.from(payload.bytes));
      expect(maker.make(platform, { ...ACCOUNT, algorithm }, data)).to.deep.equal({ ok: true, value: payload });
    });
  }

  it("takes the account's own values, else the rule's", () => {
    const template = '{account.apiKey}{account.window}{data.n}';
    const platform = samplePlatform({
      payload: { rule: 'prehash', template, values: { apiKey: 'any', window: '5000' } },
    });
    const textFor = (account: Account) => acceptedValue(maker.make(platform, account, { n: 1 })).text;
    expect(textFor({ ...ACCOUNT, values: { apiKey: 'own' } })).to.equal('own50001');
    expect(textFor(ACCOUNT)).to.equal('any50001');
  });

  it('names the place where data is not of the format, before it looks at the rule', () => {
    const platform = samplePlatform({ format: 'A' });
    const { code, details } = refusalOf(maker.make(platform, ACCOUNT, { nonce: 1, instruction: {} }));
    expect(code).to.equal('INVALID_DATA_FORMAT');
    expect(JSON.stringify(details)).to.include('data.instruction.type');
  });

  it('names the field to which the rule can not be applied', () => {
    const platform = samplePlatform({ payload: { rule: 'raw' } });
    const { code, details } = refusalOf(maker.make(platform, ACCOUNT, { hex: 'xyz' }));
    expect(code).to.equal('INVALID_DATA_FORMAT');
    expect(JSON.stringify(details)).to.include('data.hex').and.not.include('xyz');
  });
});
