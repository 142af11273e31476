import { randomFillSync } from 'node:crypto';
import secp256k1 from 'secp256k1-native';

const USES_PER_BLINDING = 1000;

const seed = Buffer.alloc(32);
let signing: Buffer | undefined;
let verifying: Buffer | undefined;
let usesLeft = 0;

/**
 * The process's libsecp256k1 context for operations with private keys, blinded against side
 * channels at first use and every 1000 uses.
 */
export function getSigningContext(): Buffer {
  signing ??= secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_SIGN);
  if (usesLeft === 0) {
    randomFillSync(seed);
    secp256k1.secp256k1_context_randomize(signing, seed);
    seed.fill(0);
    usesLeft = USES_PER_BLINDING;
  }
  usesLeft -= 1;
  return signing;
}

/** The process's libsecp256k1 context for public operations. Its tables take some 20 ms to make. */
export function getVerifyingContext(): Buffer {
  verifying ??= secp256k1.secp256k1_context_create(secp256k1.secp256k1_context_VERIFY);
  return verifying;
}
