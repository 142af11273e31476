import { createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import { Es256Signer } from '../../../../src/adapters/signing/es256-signer.ts';
import { isEs256Signature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { RFC_6979_P256 } from '../../../vectors/rfc-6979.ts';
import { RFC_7515_A3 } from '../../../vectors/rfc-7515.ts';
import { GROUP_ORDER } from './p256-order.ts';

describeSignerContract('Es256Signer', {
  make: () => new Es256Signer(),
  invalidKeys: [
    Buffer.alloc(32),
    Buffer.from(GROUP_ORDER, 'hex'),
    Buffer.from(GROUP_ORDER.replace(/51$/, '52'), 'hex'),
    Buffer.alloc(32, 0xff),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isEs256Signature(publicKey, message, signature),
});

describe('Es256Signer', () => {
  const signer = new Es256Signer();

  function expand(privateKey: Uint8Array): Buffer {
    const signingKey = Buffer.alloc(privateKey.length);
    signer.expand(privateKey, signingKey);
    return signingKey;
  }

  it('derives the published public key of RFC 7515 A.3 as SubjectPublicKeyInfo', () => {
    const { x, y, d } = RFC_7515_A3.key;
    const published = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    expect(signer.publicKey(expand(Buffer.from(d, 'base64url')))) //
      .to.equal(published.export({ format: 'der', type: 'spki' }).toString('base64'));
  });

  it('verifies the published signature of RFC 7515 A.3, and no other', () => {
    const { key, signingInput, signature } = RFC_7515_A3;
    const publicKey = signer.publicKey(expand(Buffer.from(key.d, 'base64url')));
    expect(signer.verify(publicKey, Buffer.from(signingInput), signature, 'base64url')).to.equal(true);
    expect(signer.verify(publicKey, Buffer.from(`${signingInput}x`), signature, 'base64url')).to.equal(false);
  });

  for (const { message, r, s } of RFC_6979_P256.signatures) {
    it(`signs "${message}" as RFC 6979 A.2.5 does`, () => {
      const key = expand(Buffer.from(RFC_6979_P256.privateKey, 'hex'));
      expect(signer.sign(key, Buffer.from(message), 'hex')).to.equal(r + s);
    });
  }

  it('returns false for a public key that is not on the curve', () => {
    const key = expand(Buffer.alloc(32, 1));
    const altered = Buffer.from(signer.publicKey(key), 'base64');
    altered[90] = Number(altered[90]) ^ 1;
    const signature = signer.sign(key, signer.probe, 'base64url');
    expect(signer.verify(altered.toString('base64'), signer.probe, signature, 'base64url')).to.equal(false);
  });
});
