import { expect } from 'chai';
import { TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { Secp256k1Signer } from '../../../../src/adapters/signing/secp256k1-signer.ts';
import { isTypedDataSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { INVALID_KEYS } from './secp256k1-order.ts';

/** Domain Exchange / 1 / 1337 / 0x0, from published L1 signatures. */
const SEPARATOR = Buffer.from('d79297fcdf2ffcd4ae223d01edaa2ba214ff8f401d7c9300d995d17c82aa4040', 'hex');

const PREFIX = Buffer.of(0x19, 0x01);
const STRUCT = Buffer.alloc(32, 7);

function separatorOf(change: object): Buffer {
  const exchange = {
    name: 'Exchange',
    version: '1',
    chainId: 1337,
    verifyingContract: '0x0000000000000000000000000000000000000000',
  };
  return Buffer.from(TypedDataEncoder.hashDomain({ ...exchange, ...change }).slice(2), 'hex');
}

function withFlippedBit(bytes: Buffer, index: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[index] = (flipped[index] ?? 0) ^ 1;
  return flipped;
}

describeSignerContract('Secp256k1Signer of hyperliquid-l1', {
  make: () => new Secp256k1Signer('hyperliquid-l1'),
  invalidKeys: INVALID_KEYS,
  messages: fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((struct) => new Uint8Array(Buffer.concat([PREFIX, SEPARATOR, struct]))),
  foreignMessages: [
    Buffer.alloc(0),
    Buffer.concat([PREFIX, SEPARATOR]),
    Buffer.concat([PREFIX, SEPARATOR, STRUCT, STRUCT]),
    Buffer.concat([Buffer.of(0x19, 0x00), SEPARATOR, STRUCT]),
    Buffer.concat([PREFIX, separatorOf({ chainId: 421614 }), STRUCT]),
    Buffer.concat([PREFIX, separatorOf({ name: 'HyperliquidSignTransaction', chainId: 421614 }), STRUCT]),
    Buffer.concat([PREFIX, separatorOf({ version: '2' }), STRUCT]),
    Buffer.concat([PREFIX, STRUCT, SEPARATOR]),
    ...[0, 31].map((index) => Buffer.concat([PREFIX, withFlippedBit(SEPARATOR, index), STRUCT])),
    Buffer.from(new Secp256k1Signer('eip712').probe),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isTypedDataSignature(publicKey, message, signature),
});

describe('Secp256k1Signer of hyperliquid-l1', () => {
  it('uses the domain separator of Exchange, version 1, chain 1337 and no contract', () => {
    expect(separatorOf({})).to.deep.equal(SEPARATOR);
    expect(Buffer.from(new Secp256k1Signer('hyperliquid-l1').probe.subarray(2, 34))).to.deep.equal(SEPARATOR);
  });

  it('uses an agent of no network for its self-test', () => {
    const types = {
      Agent: [
        { name: 'source', type: 'string' },
        { name: 'connectionId', type: 'bytes32' },
      ],
    };
    const agent = { source: '', connectionId: `0x${'00'.repeat(32)}` };
    const struct = TypedDataEncoder.from(types).hash(agent);
    expect(`0x${Buffer.from(new Secp256k1Signer('hyperliquid-l1').probe.subarray(34)).toString('hex')}`).to.equal(
      struct,
    );
  });
});
