import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { computeAddress, Signature } from 'ethers';
import { Eip191Signer } from '../../../../src/adapters/signing/eip191-signer.ts';
import { isPersonalSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { EIP_191_VECTORS } from '../../../vectors/eip-191.ts';
import { GROUP_ORDER, INVALID_KEYS } from './secp256k1-order.ts';

describeSignerContract('Eip191Signer', {
  make: () => new Eip191Signer(),
  invalidKeys: INVALID_KEYS,
  verifyIndependently: ({ publicKey, message, signature }) => isPersonalSignature(publicKey, message, signature),
});

describe('Eip191Signer', () => {
  const signer = new Eip191Signer();

  for (const { name, privateKey, address, message, signature } of EIP_191_VECTORS) {
    it(`reproduces the published signature: ${name}`, () => {
      const key = Buffer.from(privateKey.slice(2), 'hex');
      expect(computeAddress(signer.publicKey(key))).to.equal(address);
      expect(signer.sign(key, message, '0x-hex')).to.equal(signature);
    });
  }

  it('returns v as 27 or 28 and low s, for 2,500 random messages', () => {
    const half = BigInt(`0x${GROUP_ORDER}`) / 2n;
    const seen = new Map<number, number>();
    let random = Buffer.from('seed');
    for (let i = 0; i < 2500; i += 1) {
      random = createHash('sha512').update(random).digest();
      const key = random.subarray(0, 32);
      const message = random.subarray(32, 32 + (i % 33));
      const signature = Buffer.from(signer.sign(key, message, 'base64'), 'base64');
      expect(signature).to.have.length(65);
      const [s, v] = [BigInt(`0x${signature.toString('hex', 32, 64)}`), Number(signature[64])];
      expect(s > 0n && s <= half, `message ${i}`).to.equal(true);
      seen.set(v, (seen.get(v) ?? 0) + 1);
    }
    // Both are equally likely: 200 from the mean are eight standard deviations.
    expect([...seen.keys()].sort()).to.deep.equal([27, 28]);
    for (const count of seen.values()) expect(count).to.be.within(1050, 1450);
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

  it('returns a signature that ethers parses unchanged', () => {
    const text = signer.sign(Buffer.alloc(32, 9), Buffer.from('message'), '0x-hex');
    expect(Signature.from(text).serialized).to.equal(text);
  });
});
