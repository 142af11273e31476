import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import type { PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { bytesField, makeSignDoc, numberField } from '../../../../contracts/cosmos-sign-doc.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { COSMJS_VECTORS } from '../../../../vectors/cosmos/cosmjs.ts';

const RULE: PayloadRule = { rule: 'cosmos-sign-doc' };
const ANY_MESSAGE = bytesField(1, bytesField(1, Buffer.from('/a.B')));
const DIRECT_SIGNER = bytesField(1, bytesField(2, bytesField(1, Buffer.of(8, 1))));
const FEE = bytesField(2, numberField(2, 5));
const CHAIN = bytesField(3, Buffer.from('a-1'));

/** A SignDoc of these TxBody and AuthInfo bytes. */
function signDocOf(body: Uint8Array, authInfo: Uint8Array): Buffer {
  return Buffer.concat([bytesField(1, body), bytesField(2, authInfo), CHAIN]);
}

const AUTH_INFO = Buffer.concat([DIRECT_SIGNER, FEE]);
const VALID = signDocOf(ANY_MESSAGE, AUTH_INFO);

function build(data: JsonObject, rule = RULE) {
  return buildPayload(data, rule, payloadContext());
}

/** The refusal's message; undefined if the bytes are accepted. */
function issueOf(bytes: Uint8Array): string | undefined {
  const outcome = build({ signDoc: Buffer.from(bytes).toString('base64') });
  if (outcome.ok) return undefined;
  expect(outcome.refusal.path).to.equal('data.signDoc');
  return outcome.refusal.message;
}

describe('Rule cosmos-sign-doc', () => {
  for (const { sequence, signBytes } of COSMJS_VECTORS) {
    it(`signs the bytes of cosmjs as they are, from base64 and hex, sequence ${sequence}`, () => {
      const bytes = Buffer.from(signBytes, 'hex');
      const base64 = bytes.toString('base64');
      for (const [signDoc, text, encoding] of [
        [base64, base64, 'base64'],
        [signBytes, signBytes, 'hex'],
        [`0x${signBytes.toUpperCase()}`, signBytes, 'hex'],
      ] as const) {
        const outcome = build({ signDoc });
        if (!outcome.ok) throw new Error(outcome.refusal.message);
        expect(Buffer.from(outcome.value.bytes).equals(bytes)).to.equal(true);
        expect([outcome.value.text, outcome.value.encoding]).to.deep.equal([text, encoding]);
      }
    });
  }

  it('signs only for the configured chains', () => {
    const signDoc = makeSignDoc({ chainId: 'dydx-mainnet-1' }).toString('hex');
    for (const chainId of ['dydx-mainnet-1', ['cosmoshub-4', 'dydx-mainnet-1']]) {
      expect(build({ signDoc }, { ...RULE, chainId }).ok).to.equal(true);
    }
    for (const [chainId, message] of [
      ['dydx-mainnet', 'must be for the chain dydx-mainnet'],
      [['a-1', 'b-1'], 'must be for the chain a-1 or b-1'],
    ] as const) {
      const outcome = build({ signDoc }, { ...RULE, chainId: typeof chainId === 'string' ? chainId : [...chainId] });
      expect(outcome).to.deep.equal({ ok: false, refusal: { path: 'data.signDoc', message } });
    }
  });

  it('rejects data that is not one text of bytes', () => {
    for (const [data, path] of [
      [{}, 'data.signDoc'],
      [{ signDoc: 1 }, 'data.signDoc'],
      [{ signDoc: '' }, 'data.signDoc'],
      [{ signDoc: 'ChQ' }, 'data.signDoc'],
      [{ signDoc: '0a1' }, 'data.signDoc'],
      [{ signDoc: VALID.toString('hex'), chainId: 'a-1' }, 'data.chainId'],
    ] as const) {
      const outcome = build(data);
      expect(outcome.ok ? 'accepted' : outcome.refusal.path, JSON.stringify(data)).to.equal(path);
    }
  });

  it('accepts only the canonical encoding of a complete transaction', () => {
    expect(issueOf(VALID)).to.equal(undefined);
    const memo = (bytes: Uint8Array): Buffer => signDocOf(Buffer.concat([ANY_MESSAGE, bytes]), AUTH_INFO);
    expect(issueOf(memo(bytesField(2, Buffer.from('é'))))).to.equal(undefined);
    const cases: readonly (readonly [string, Uint8Array, RegExp])[] = [
      ['amino JSON', Buffer.from('{"chain_id":"a-1"}'), /unknown field, number 15/],
      ['a trailing byte', Buffer.concat([VALID, Buffer.of(0)]), /unknown field, number 0/],
      ['a cut', VALID.subarray(0, -1), /truncated/],
      ['no chain', VALID.subarray(0, -CHAIN.length), /chainId is not/],
      [
        'a space in the chain',
        Buffer.concat([VALID.subarray(0, -CHAIN.length), bytesField(3, Buffer.from('a 1'))]),
        /chainId is not/,
      ],
      ['another field', Buffer.concat([VALID, bytesField(5, Buffer.of(1))]), /it has an unknown field, number 5/],
      ['a field twice', Buffer.concat([VALID, CHAIN]), /chainId is repeated/],
      ['fields out of order', Buffer.concat([CHAIN, VALID.subarray(0, -CHAIN.length)]), /bodyBytes is out of order/],
      [
        'a wrong wire type',
        Buffer.concat([VALID, bytesField(4, Buffer.of(1))]),
        /accountNumber has the wrong wire type/,
      ],
      ['a default value', Buffer.concat([VALID, Buffer.of(0x20, 0)]), /accountNumber must be absent/],
      ['a long form of a number', Buffer.concat([VALID, Buffer.of(0x20, 0x81, 0)]), /not the shortest form/],
      ['a long form of a tag', Buffer.concat([VALID, Buffer.of(0xa0, 0x00, 1)]), /not the shortest form/],
      ['a number above 64 bits', Buffer.concat([VALID, Buffer.of(0x20, ...Buffer.alloc(9, 0xff), 2)]), /too large/],
      ['an endless number', Buffer.concat([VALID, Buffer.of(0x20, ...Buffer.alloc(11, 0xff))]), /too large/],
      ['no message', signDocOf(bytesField(2, Buffer.from('m')), AUTH_INFO), /bodyBytes.messages is empty/],
      ['no type', signDocOf(bytesField(1, bytesField(2, Buffer.of(1))), AUTH_INFO), /messages\[0\].typeUrl is missing/],
      ['an empty memo', memo(Buffer.of(0x12, 0)), /bodyBytes.memo must be absent/],
      ['a memo that is not UTF-8', memo(bytesField(2, Buffer.of(0xff))), /bodyBytes.memo is not UTF-8/],
      ['an unknown body field', memo(numberField(6, 1)), /bodyBytes has an unknown field, number 6/],
      ['a bool of 2', memo(numberField(4, 2)), /bodyBytes.unordered has a number that is too large/],
      ['no fee', signDocOf(ANY_MESSAGE, DIRECT_SIGNER), /authInfoBytes.fee is missing/],
      ['no signer', signDocOf(ANY_MESSAGE, FEE), /no signer with the mode SIGN_MODE_DIRECT/],
      [
        'amino JSON as mode',
        signDocOf(ANY_MESSAGE, Buffer.concat([bytesField(1, bytesField(2, bytesField(1, Buffer.of(8, 127)))), FEE])),
        /no signer with the mode SIGN_MODE_DIRECT/,
      ],
      [
        'a multi-signature mode',
        signDocOf(ANY_MESSAGE, Buffer.concat([bytesField(1, bytesField(2, bytesField(2, Buffer.of(8, 1)))), FEE])),
        /signerInfos\[0\].modeInfo has an unknown field, number 2/,
      ],
      ['a tip', signDocOf(ANY_MESSAGE, Buffer.concat([AUTH_INFO, bytesField(3, Buffer.of(8, 1))])), /number 3/],
    ];
    for (const [name, bytes, message] of cases) expect(issueOf(bytes), name).to.match(message);
  });

  it('accepts 8192 fields at any depth of a part, and no more', () => {
    const coins = (count: number) => {
      const fee = bytesField(2, Buffer.alloc(2 * count, Buffer.of(1 * 8 + 2, 0)));
      return signDocOf(ANY_MESSAGE, Buffer.concat([DIRECT_SIGNER, fee]));
    };
    // The signer, its mode and the fee are five.
    expect(issueOf(coins(8192 - 5))).to.equal(undefined);
    expect(issueOf(coins(8192 - 4))).to.match(/authInfoBytes\.fee has more than 8192 fields/);
  });

  it('names a place in each refusal and never throws, for any change of one byte', () => {
    fc.assert(
      fc.property(fc.nat(VALID.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const bytes = Buffer.from(VALID);
        bytes[at] = (bytes[at] ?? 0) ^ change;
        expect(issueOf(bytes) ?? 'must be').to.match(/^must be/);
      }),
    );
  });
});
