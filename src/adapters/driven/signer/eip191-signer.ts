import { keccak256 } from './keccak-256.ts';
import { Secp256k1Signer } from './secp256k1-signer.ts';
import { SELF_TEST_PROBE } from './self-test-probe.ts';

/**
 * EIP-191 version 0x45 ("personal_sign"): any message, as keccak256("\x19Ethereum Signed Message:\n" ‖ its length in bytes, in decimal digits ‖
 * message). The prefix always stands, whatever the message begins with.
 */
export class Eip191Signer extends Secp256k1Signer {
  constructor() {
    super({ algorithm: 'eip191', probe: SELF_TEST_PROBE, digestOf });
  }
}

function digestOf(message: Uint8Array): Uint8Array {
  return keccak256(Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`, 'latin1'), message);
}
