import { isExchangeDomain } from '../../domain/payload/hyperliquid-agent.ts';
import { keccak256 } from '../node/node-hasher.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';

/** 0x19 0x01 ‖ domainSeparator ‖ hashStruct(message) (EIP-712). */
const MESSAGE_BYTES = 66;

/** The 32-byte digest of 66 bytes of encoded EIP-712 data; undefined for anything else. */
export function typedDataDigest(message: Uint8Array): Uint8Array | undefined {
  const isTypedData = message.length === MESSAGE_BYTES && message[0] === 0x19 && message[1] === 0x01;
  return isTypedData ? keccak256(message) : undefined;
}

/**
 * The encoding of SelfTest(string purpose) with purpose "signing-service/key-self-test/v1" in the
 * domain "signing-service/key-self-test" version 1, which no platform uses.
 */
const PROBE = Buffer.from(
  '1901cf1dc15c90111bf48e9807044d08070c54be6edd851bd0514d9921551f285f029a952160546c362933d05cfdc09fb858f45e13b889c0cbad6a3f840d0f5a7d70',
  'hex',
);

/**
 * EIP-712 typed data (EIP-191 version 0x01): signs the keccak256 of 66-byte encodings, except for
 * the domain of Hyperliquid's L1 actions, which has its own algorithm.
 */
export class Eip712Signer extends Secp256k1Signer {
  constructor() {
    super({ algorithm: 'eip712', probe: PROBE, getDigest: digestOutsideExchange });
  }
}

function digestOutsideExchange(message: Uint8Array): Uint8Array | undefined {
  return isExchangeDomain(message) ? undefined : typedDataDigest(message);
}
