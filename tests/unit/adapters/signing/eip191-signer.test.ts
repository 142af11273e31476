import { expect } from 'chai';
import { computeAddress } from 'ethers';
import { Secp256k1Signer } from '../../../../src/adapters/signing/secp256k1-signer.ts';
import { isPersonalSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { EIP_191_VECTORS } from '../../../vectors/eip-191.ts';
import { GROUP_ORDER, INVALID_KEYS } from './secp256k1-order.ts';

describeSignerContract('Secp256k1Signer of eip191', {
  make: () => new Secp256k1Signer('eip191'),
  invalidKeys: INVALID_KEYS,
  verifyIndependently: ({ publicKey, message, signature }) => isPersonalSignature(publicKey, message, signature),
});

describe('Secp256k1Signer of eip191', () => {
  const signer = new Secp256k1Signer('eip191');

  for (const { name, privateKey, address, message, signature } of EIP_191_VECTORS) {
    it(`reproduces the published signature: ${name}`, () => {
      const key = Buffer.from(privateKey.slice(2), 'hex');
      expect(computeAddress(signer.publicKey(key))).to.equal(address);
      expect(signer.sign(key, message, '0x-hex')).to.equal(signature);
    });
  }

  it('returns both v, 27 and 28, and always a low s', () => {
    const half = BigInt(`0x${GROUP_ORDER}`) / 2n;
    const key = Buffer.alloc(32, 9);
    const signatures = Array.from({ length: 100 }, (_, index) => signer.sign(key, Buffer.from(`${index}`), 'hex'));
    expect(new Set(signatures.map((text) => text.slice(128)))).to.deep.equal(new Set(['1b', '1c']));
    for (const text of signatures) expect(BigInt(`0x${text.slice(64, 128)}`) <= half, text).to.equal(true);
  });

  it('rejects a signature with high s or the other v', () => {
    const key = Buffer.alloc(32, 9);
    const message = Buffer.from('message');
    const text = signer.sign(key, message, '0x-hex');
    const publicKey = signer.publicKey(key);
    const s = BigInt(`0x${text.slice(66, 130)}`);
    const mirrored = (BigInt(`0x${GROUP_ORDER}`) - s).toString(16).padStart(64, '0');
    const otherV = text.endsWith('1b') ? '1c' : '1b';
    expect(signer.verify(publicKey, message, text, '0x-hex')).to.equal(true);
    expect(signer.verify(publicKey, message, `${text.slice(0, 66)}${mirrored}${otherV}`, '0x-hex')).to.equal(false);
    expect(signer.verify(publicKey, message, `${text.slice(0, 130)}${otherV}`, '0x-hex')).to.equal(false);
    expect(signer.verify(publicKey, message, `${text.slice(0, 130)}00`, '0x-hex')).to.equal(false);
  });
});
