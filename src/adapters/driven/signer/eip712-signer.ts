import { TypedDataEncoder } from 'ethers/hash';
import { getBytes } from 'ethers/utils';
import { isOfExchange } from '../../../domain/payload/hyperliquid-agent.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';
import { typedDataDigest } from './typed-data-message.ts';

/** A domain that no platform has. */
const SELF_TEST_DOMAIN = { name: 'signing-service/key-self-test', version: '1' };
const SELF_TEST_TYPES = { SelfTest: [{ name: 'purpose', type: 'string' }] };
const SELF_TEST_MESSAGE = { purpose: 'signing-service/key-self-test/v1' };

/**
 * EIP-712 typed data, which is EIP-191 version 0x01: only messages of the 66 bytes 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message), signed as their
 * keccak256, and none of the domain of Hyperliquid's L1 actions, which have an algorithm of their own. ethers sees messages and digests only, never a key.
 */
export class Eip712Signer extends Secp256k1Signer {
  constructor() {
    super({
      algorithm: 'eip712',
      probe: getBytes(TypedDataEncoder.encode(SELF_TEST_DOMAIN, SELF_TEST_TYPES, SELF_TEST_MESSAGE)),
      digestOf: foreignDigest,
    });
  }
}

function foreignDigest(message: Uint8Array): Uint8Array | undefined {
  return isOfExchange(message) ? undefined : typedDataDigest(message);
}
