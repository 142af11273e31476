import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { Eip712Signer } from '../../../../src/adapters/signing/eip712-signer.ts';
import { HyperliquidL1Signer } from '../../../../src/adapters/signing/hyperliquid-l1-signer.ts';
import { isTypedDataSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { INVALID_KEYS } from './secp256k1-order.ts';

const ENCODED = Buffer.concat([Buffer.of(0x19, 0x01), Buffer.alloc(64, 7)]);

function changed(offset: number, byte: number): Buffer {
  const message = Buffer.from(ENCODED);
  message[offset] = byte;
  return message;
}

describeSignerContract('Eip712Signer', {
  make: () => new Eip712Signer(),
  invalidKeys: INVALID_KEYS,
  messages: fc.uint8Array({ minLength: 64, maxLength: 64 }).map((hashes) => Uint8Array.of(0x19, 0x01, ...hashes)),
  foreignMessages: [
    Buffer.alloc(0),
    Buffer.from(keccak256(ENCODED).slice(2), 'hex'),
    ENCODED.subarray(0, 65),
    Buffer.concat([ENCODED, Buffer.alloc(1)]),
    ENCODED.subarray(2),
    changed(0, 0x18),
    changed(0, 0xf8),
    changed(1, 0x00),
    changed(1, 0x45),
    Buffer.from(new HyperliquidL1Signer().probe),
    Buffer.from('\x19Ethereum Signed Message:\n40'.padEnd(66, 'a')),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isTypedDataSignature(publicKey, message, signature),
});

describe('Eip712Signer', () => {
  it('uses typed data of a separate domain for its self-test', () => {
    const domain = { name: 'signing-service/key-self-test', version: '1' };
    const types = { SelfTest: [{ name: 'purpose', type: 'string' }] };
    const encoded = TypedDataEncoder.encode(domain, types, { purpose: 'signing-service/key-self-test/v1' });
    expect(`0x${Buffer.from(new Eip712Signer().probe).toString('hex')}`).to.equal(encoded);
  });
});
