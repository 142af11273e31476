import { createECDH } from 'node:crypto';

const CURVE = 'prime256v1';

/** The private key 1, which replaces the one that was used. */
const NO_SECRET = Buffer.alloc(32);
NO_SECRET[31] = 1;

const COMPRESSED_BYTES = 33;
const EVEN_Y = 2;

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

/**
 * Whether `publicKey`, a 33- or 65-byte point (SEC 1 §2.3.3), belongs to the 32-byte P-256
 * `privateKey`. False for malformed input.
 */
export function isPointOfP256Key(publicKey: Buffer, privateKey: Buffer): boolean {
  const point = deriveP256Point(privateKey);
  if (point === undefined) return false;
  if (publicKey.length !== COMPRESSED_BYTES) return point.equals(publicKey);
  const prefix = EVEN_Y + ((point.at(-1) ?? 0) & 1);
  return publicKey[0] === prefix && publicKey.subarray(1).equals(point.subarray(1, COMPRESSED_BYTES));
}
