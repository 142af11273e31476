import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { Secp256k1Signer } from '../../../../src/adapters/signing/secp256k1-signer.ts';
import { isTypedDataSignature } from '../../../contracts/independent-verification.ts';
import { describeSignerContract } from '../../../contracts/signer-contract.ts';
import { INVALID_KEYS } from './secp256k1-order.ts';

const ENCODED = Buffer.concat([Buffer.of(0x19, 0x01), Buffer.alloc(64, 7)]);

function changed(offset: number, byte: number): Buffer {
  const message = Buffer.from(ENCODED);
  message[offset] = byte;
  return message;
}

describeSignerContract('Secp256k1Signer of eip712', {
  make: () => new Secp256k1Signer('eip712'),
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
    Buffer.from(new Secp256k1Signer('hyperliquid-l1').probe),
    Buffer.from('\x19Ethereum Signed Message:\n40'.padEnd(66, 'a')),
  ],
  verifyIndependently: ({ publicKey, message, signature }) => isTypedDataSignature(publicKey, message, signature),
});

describe('Secp256k1Signer of eip712', () => {
  it('uses typed data of a separate domain for its self-test', () => {
    const domain = { name: 'signing-service/key-self-test', version: '1' };
    const types = { SelfTest: [{ name: 'purpose', type: 'string' }] };
    const encoded = TypedDataEncoder.encode(domain, types, { purpose: 'signing-service/key-self-test/v1' });
    expect(`0x${Buffer.from(new Secp256k1Signer('eip712').probe).toString('hex')}`).to.equal(encoded);
  });
});
