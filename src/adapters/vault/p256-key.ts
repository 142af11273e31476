import { createECDH } from 'node:crypto';

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
