import { expect } from 'chai';
import { Ed25519Signer } from '../../../../src/adapters/signing/ed25519-signer.ts';
import { isEd25519Signature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { bs58 } from '../../../harness/base58.ts';
import { RFC_8032_VECTORS } from '../../../vectors/rfc-8032.ts';

describeSignerContract('Ed25519Signer', {
  make: () => new Ed25519Signer(),
  invalidKeys: [],
  verifyIndependently: ({ publicKey, message, signature }) => isEd25519Signature(publicKey, message, signature),
});

describe('Ed25519Signer', () => {
  for (const { name, seed, publicKey, message, signature } of RFC_8032_VECTORS) {
    it(`reproduces the published key and signature of RFC 8032 §7.1 ${name}`, () => {
      const signer = new Ed25519Signer();
      const signingKey = Buffer.alloc(signer.signingKeyLength);
      signer.expand(Buffer.from(seed, 'hex'), signingKey);
      expect(signer.publicKey(signingKey)).to.equal(bs58.encode(Buffer.from(publicKey, 'hex')));
      expect(signer.sign(signingKey, Buffer.from(message, 'hex'), 'hex')).to.equal(signature);
    });
  }
});
