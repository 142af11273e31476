import { keccak256 } from '../node/node-hasher.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';
import { SELF_TEST_PROBE } from './signature-text.ts';

/**
 * EIP-191 version 0x45 ("personal_sign"), for any message: keccak256 of
 * "\x19Ethereum Signed Message:\n" ‖ decimal length in bytes ‖ message.
 */
export class Eip191Signer extends Secp256k1Signer {
  constructor() {
    super({ algorithm: 'eip191', probe: SELF_TEST_PROBE, getDigest });
  }
}

function getDigest(message: Uint8Array): Uint8Array {
  return keccak256(Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1'), message);
}
