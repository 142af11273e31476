import bs58 from 'bs58';
import { expect } from 'chai';
import { computeAddress, Signature, verifyMessage } from 'ethers';
import { Eip191Signer } from '../../../../../src/adapters/driven/signer/eip191-signer.ts';
import { describeSignerContract } from '../../../../contracts/signer-contract.ts';
import { EIP_191_VECTORS } from '../../../../vectors/eip-191.ts';

/** SEC 2 §2.4.1: the order of the group. */
const GROUP_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

describeSignerContract('Eip191Signer', {
  make: () => new Eip191Signer(),
  invalidKeys: [Buffer.alloc(32), Buffer.from(GROUP_ORDER, 'hex'), Buffer.alloc(32, 0xff)],
  verifyIndependently: (publicKey, message, signature, encoding) => {
    const hex =
      encoding === 'hex'
        ? signature
        : `0x${Buffer.from(encoding === 'base58' ? bs58.decode(signature) : Buffer.from(signature, encoding)).toString('hex')}`;
    return verifyMessage(message, hex) === computeAddress(publicKey);
  },
});

describe('Eip191Signer', () => {
  const signer = new Eip191Signer();

  for (const { name, privateKey, address, message, signature } of EIP_191_VECTORS) {
    it(`makes the published signature: ${name}`, () => {
      const key = Buffer.from(privateKey.slice(2), 'hex');
      expect(computeAddress(signer.publicKey(key))).to.equal(address);
      expect(signer.sign(key, message, 'hex')).to.equal(signature);
    });
  }

  it('writes v as 27 or 28 and s in the lower half of the order, for many messages', () => {
    const key = Buffer.alloc(32, 9);
    const seen = new Set<number>();
    for (let i = 0; i < 300; i += 1) {
      const text = signer.sign(key, Buffer.from(`message ${i}`), 'hex');
      expect(text).to.match(/^0x[0-9a-f]{130}$/);
      const signature = Signature.from(text);
      expect(BigInt(signature.s) * 2n < BigInt(`0x${GROUP_ORDER}`)).to.equal(true);
      seen.add(signature.v);
    }
    expect([...seen].sort()).to.deep.equal([27, 28]);
  });

  it('does not verify a signature whose s was mirrored or whose v is the other one', () => {
    const key = Buffer.alloc(32, 9);
    const message = Buffer.from('message');
    const text = signer.sign(key, message, 'hex');
    const publicKey = signer.publicKey(key);
    const s = BigInt(`0x${text.slice(66, 130)}`);
    const mirrored = (BigInt(`0x${GROUP_ORDER}`) - s).toString(16).padStart(64, '0');
    const otherV = text.endsWith('1b') ? '1c' : '1b';
    expect(signer.verify(publicKey, message, text, 'hex')).to.equal(true);
    expect(signer.verify(publicKey, message, `${text.slice(0, 66)}${mirrored}${otherV}`, 'hex')).to.equal(false);
    expect(signer.verify(publicKey, message, `${text.slice(0, 130)}${otherV}`, 'hex')).to.equal(false);
    expect(signer.verify(publicKey, message, `${text.slice(0, 130)}00`, 'hex')).to.equal(false);
  });
});
