import { expect } from 'chai';
import fc from 'fast-check';
import { Secp256k1Signer } from '../../../../src/adapters/signing/secp256k1-signer.ts';
import { bytesField, makeSignDoc } from '../../../contracts/cosmos-sign-doc.ts';
import { isCosmosSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { COSMJS_KEY, COSMJS_VECTORS } from '../../../vectors/cosmos/cosmjs.ts';
import { INVALID_KEYS } from './secp256k1-order.ts';

const SIGN_DOC = makeSignDoc();

describeSignerContract('Secp256k1Signer of cosmos', {
  make: () => new Secp256k1Signer('cosmos'),
  invalidKeys: INVALID_KEYS,
  messages: fc
    .record({ memo: fc.string({ unit: 'grapheme', maxLength: 100 }), sequence: fc.nat(), accountNumber: fc.nat() })
    .map(makeSignDoc),
  foreignMessages: [
    Buffer.alloc(0),
    SIGN_DOC.subarray(0, -1),
    SIGN_DOC.subarray(1),
    Buffer.concat([SIGN_DOC, Buffer.alloc(1)]),
    Buffer.concat([SIGN_DOC, bytesField(5, Buffer.of(1))]),
    makeSignDoc({ chainId: '' }),
    makeSignDoc({ typeUrl: '' }),
    // An amino JSON document (ADR 036).
    Buffer.from(
      '{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[],"sequence":"0"}',
    ),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isCosmosSignature(publicKey, message, signature),
});

describe('Secp256k1Signer of cosmos', () => {
  const signer = new Secp256k1Signer('cosmos');
  const key = Buffer.alloc(32);
  signer.expand(COSMJS_KEY.privateKey, key);

  it('has the public key that cosmjs publishes', () => {
    expect(signer.publicKey(key)).to.equal(COSMJS_KEY.publicKey);
  });

  for (const { sequence, signBytes, signature } of COSMJS_VECTORS) {
    it(`reproduces the signature of cosmjs for sequence ${sequence}`, () => {
      expect(signer.sign(key, Buffer.from(signBytes, 'hex'), 'hex')).to.equal(signature);
    });
  }
});
