import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../../../src/adapters/signing/ethers-typed-data-encoder.ts';
import { ScureStarknetTypedDataEncoder } from '../../../../src/adapters/signing/starknet-typed-data-encoder.ts';
import type { Account } from '../../../../src/domain/model/account.ts';
import { ALGORITHMS, MAC_ALGORITHMS, SIGNATURE_ENCODINGS } from '../../../../src/domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../../../src/domain/model/errors.ts';
import { DATA_FORMATS } from '../../../../src/domain/model/platform.ts';
import { admitKey } from '../../../../src/domain/services/key-admission.ts';
import { isSignatureOf, makePayload } from '../../../../src/domain/services/signing-steps.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MockKeyStore } from '../../../doubles/mock-key-store.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { SAMPLE_DATA } from './sample-data.ts';
import { payloadBytes, SIGNABLE } from './signable-data.ts';
import { SIGNERS } from './signing-workbench.ts';

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
  keyId: 'key',
};

const TOOLS = {
  hasher: new NodeHasher(),
  typedData: new EthersTypedDataEncoder(),
  starknet: new ScureStarknetTypedDataEncoder(),
};

describe('makePayload', () => {
  for (const format of DATA_FORMATS) {
    it(`builds the payload of format ${format} by the rule of the format`, () => {
      const { data, text } = SAMPLE_DATA[format];
      const payload = acceptedValue(makePayload(samplePlatform({ format }), ACCOUNT, data, TOOLS));
      expect(payload.text).to.equal(text);
      expect(Buffer.from(payload.bytes).toString('utf8')).to.equal(text);
    });
  }

  for (const algorithm of ALGORITHMS) {
    it(`builds the same ${algorithm} message each time, and returns its bytes as text`, () => {
      const { payload: rule, data } = SIGNABLE[algorithm];
      const platform = samplePlatform({ payload: rule });
      const payload = acceptedValue(
        makePayload(platform, { ...ACCOUNT, algorithm, values: { address: '0x5' } }, data, TOOLS),
      );
      expect(payloadBytes({ payload })).to.deep.equal(Buffer.from(payload.bytes));
      expect(makePayload(platform, { ...ACCOUNT, algorithm, values: { address: '0x5' } }, data, TOOLS)).to.deep.equal({
        ok: true,
        value: payload,
      });
    });
  }

  it("uses the account's own values, else the rule's", () => {
    const template = '{account.apiKey}{account.window}{data.n}';
    const platform = samplePlatform({
      payload: { rule: 'prehash', template, values: { apiKey: 'any', window: '5000' } },
    });
    const textFor = (account: Account) => acceptedValue(makePayload(platform, account, { n: 1 }, TOOLS)).text;
    expect(textFor({ ...ACCOUNT, values: { apiKey: 'own' } })).to.equal('own50001');
    expect(textFor(ACCOUNT)).to.equal('any50001');
  });

  it('names the path where data does not match the format, before applying the rule', () => {
    const platform = samplePlatform({ format: 'A' });
    const { code, details } = refusalOf(makePayload(platform, ACCOUNT, { nonce: 1, instruction: {} }, TOOLS));
    expect(code).to.equal('INVALID_DATA_FORMAT');
    expect(JSON.stringify(details)).to.include('data.instruction.type');
  });

  it('names the field to which the rule cannot be applied', () => {
    const platform = samplePlatform({ payload: { rule: 'raw' } });
    const { code, details } = refusalOf(makePayload(platform, ACCOUNT, { hex: 'xyz' }, TOOLS));
    expect(code).to.equal('INVALID_DATA_FORMAT');
    expect(JSON.stringify(details)).to.include('data.hex').and.not.include('xyz');
  });
});

describe('isSignatureOf', () => {
  for (const algorithm of ALGORITHMS) {
    const signer = SIGNERS[algorithm];
    const identity = { platformId: 'alpha', accountId: 'main', algorithm };

    it(`distinguishes a key's own ${algorithm} signatures from another key's, in every encoding`, () => {
      const store = new MockKeyStore();
      const [own, other] = [1, 2].map((number) =>
        admitKey(store, signer, identity, samplePrivateKey(number, algorithm)),
      );
      if (own === undefined || other === undefined) return expect.fail('Both keys should be there.');
      for (const encoding of SIGNATURE_ENCODINGS) {
        const signature = store.use(own.handle, (key) => signer.sign(key, signer.probe, encoding));
        const check = ({ publicKey, handle }: typeof own, text: string) =>
          isSignatureOf(store, signer, { publicKey, key: handle }, signer.probe, text, encoding);
        expect(check(own, signature)).to.equal(true);
        expect(check(other, signature)).to.equal(false);
        for (const malformed of ['', signature.slice(1), `${signature}\n`]) {
          expect(check(own, malformed)).to.equal(false);
        }
      }
    });

    it(`opens a key for ${algorithm} only if there is no other way`, () => {
      const store = new MockKeyStore();
      const { handle, publicKey } = admitKey(store, signer, identity, samplePrivateKey(1, algorithm));
      store.calls.length = 0;
      isSignatureOf(store, signer, { publicKey, key: handle }, signer.probe, 'no signature', 'hex');
      expect(store.calls).to.deep.equal(signer.kind === 'mac' ? [{ call: 'use', identity }] : []);
    });
  }

  it('throws if a secret is missing', () => {
    for (const algorithm of MAC_ALGORITHMS) {
      const signer = SIGNERS[algorithm];
      const gone = { publicKey: 'hmac:0123456789abcdef', key: { id: 'gone' } };
      expect(() => isSignatureOf(new MockKeyStore(), signer, gone, signer.probe, 'ab', 'hex')).to.throw(
        KeyUnavailableError,
      );
    }
  });
});
