import { createECDH } from 'node:crypto';
import { ECDSA_NUMBER_BYTES, type EcdsaCurve } from './ecdsa.ts';

const CURVE = 'prime256v1';

/** The private key 1, which replaces the one that was used. */
const NO_SECRET = Buffer.alloc(32);
NO_SECRET[31] = 1;

/** Keeps its private key, which OpenSSL wipes when another replaces it. */
const keyPair = createECDH(CURVE);

/**
 * The 65-byte uncompressed point (SEC 1 §2.3.3) of a 32-byte P-256 private key; undefined if the
 * key is not in the range 1 to n − 1.
 */
export function deriveP256Point(privateKey: Uint8Array): Buffer | undefined {
  try {
    keyPair.setPrivateKey(privateKey);
    return keyPair.getPublicKey();
  } catch {
    return undefined;
  } finally {
    keyPair.setPrivateKey(NO_SECRET);
  }
}

/** P-256 (SEC 2 §2.4.2), with multiples of the generator by OpenSSL. */
export const P256_CURVE: EcdsaCurve = {
  order: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  memoryLimbs: 0,
  makeMultiplier: () => (target, scalar) => {
    const point = deriveP256Point(scalar);
    if (point === undefined) throw new Error('Not a scalar of P-256.');
    target.set(point.subarray(1, 1 + ECDSA_NUMBER_BYTES));
  },
};
