import { createECDH, hash, verify } from 'node:crypto';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { ECDSA_NUMBER_BYTES, Ecdsa, type EcdsaCurve } from './ecdsa.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

const POINT_BYTES = 65;
const SIGNATURE_BYTES = 2 * ECDSA_NUMBER_BYTES;

/** r‖s of 32 bytes each instead of DER. */
const DSA_ENCODING = 'ieee-p1363';

/** SubjectPublicKeyInfo (RFC 5480 §2) before the 65 bytes of the point. */
const SPKI_START = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

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
function deriveP256Point(privateKey: Uint8Array): Buffer | undefined {
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

/**
 * ECDSA over P-256 with SHA-256 (FIPS 186-5, RFC 7518 §3.4) and nonces of RFC 6979. Private and
 * signing key: 32 bytes, 1 to n − 1. Public key: base64 of the 91 bytes of its DER
 * SubjectPublicKeyInfo. Signature: 64 bytes r‖s.
 *
 * Signs by {@link Ecdsa} in locked memory: OpenSSL multiplies the generator and verifies. Its own
 * signing leaves copies of keys (docs/decisions/0022-own-ecdsa.md).
 */
export class Es256Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'es256';
  readonly probe = SELF_TEST_PROBE;
  readonly #ecdsa = new Ecdsa(P256_CURVE);

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    if (!this.#ecdsa.isPrivateKey(privateKey)) {
      throw new InvalidPrivateKeyError('The key is not a P-256 private key: it is zero or not below the group order.');
    }
    copySecret(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const point = deriveP256Point(signingKey);
    if (point === undefined) throw new Error('Not a signing key of es256.');
    return Buffer.concat([SPKI_START, point]).toString('base64');
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    return encodeSignature(this.#ecdsa.sign(signingKey, hash('sha256', message, 'buffer')), encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const key = decodePublicKey(publicKey);
    const bytes = decodeSignature(signature, encoding, SIGNATURE_BYTES);
    if (key === undefined || bytes === undefined) return false;
    try {
      return verify('sha256', message, { key, format: 'der', type: 'spki', dsaEncoding: DSA_ENCODING }, bytes);
    } catch {
      // Not a point of the curve.
      return false;
    }
  }
}

function decodePublicKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  const isP256 =
    key.length === SPKI_START.length + POINT_BYTES && key.subarray(0, SPKI_START.length).equals(SPKI_START);
  return isP256 && key.toString('base64') === text ? key : undefined;
}
