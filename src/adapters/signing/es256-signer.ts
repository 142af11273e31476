import { createSign, verify } from 'node:crypto';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { deriveP256Point } from '../vault/p256-key.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

const PRIVATE_KEY_BYTES = 32;
const POINT_BYTES = 65;
const SIGNATURE_BYTES = 64;

/** r‖s of 32 bytes each instead of DER. */
const DSA_ENCODING = 'ieee-p1363';

/** ECPrivateKey (RFC 5915 §3): version 1, then 32 bytes of the private key. */
const KEY_START = Buffer.from('30770201010420', 'hex');
/** Parameters: OID 1.2.840.10045.3.1.7; then the public key, a bit string of 65 bytes. */
const KEY_MIDDLE = Buffer.from('a00a06082a8648ce3d030107a144034200', 'hex');
const MIDDLE_OFFSET = KEY_START.length + PRIVATE_KEY_BYTES;
const POINT_OFFSET = MIDDLE_OFFSET + KEY_MIDDLE.length;

/** Private key and message of signatures that are not released. */
const PUBLIC_SCALAR = Buffer.alloc(PRIVATE_KEY_BYTES, 1);
const PUBLIC_MESSAGE = Buffer.alloc(0);

/** SubjectPublicKeyInfo (RFC 5480 §2) before the 65 bytes of the point. */
const SPKI_START = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/**
 * ECDSA over P-256 with SHA-256 (FIPS 186-5, RFC 7518 §3.4) by OpenSSL, with random nonces. Private
 * key: 32 bytes, 1 to n − 1. Signing key: 121 bytes, DER of ECPrivateKey with the public key (RFC
 * 5915), which OpenSSL parses for each signature. Public key: base64 of the 91 bytes of its DER
 * SubjectPublicKeyInfo. Signature: 64 bytes r‖s.
 *
 * `Sign.sign` parses, signs and frees its key in one call. `crypto.sign` and key objects keep it
 * until garbage collection. OpenSSL wipes the key's number, but not the two buffers that it parses
 * from: each signature is followed by one with a public key pair, which takes and overwrites most
 * of them (docs/decisions/0024-p256-signer.md has the limit).
 */
export class Es256Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'es256';
  readonly privateKeyLengths = { min: PRIVATE_KEY_BYTES, max: PRIVATE_KEY_BYTES };
  readonly probe = SELF_TEST_PROBE;
  readonly #publicPair: Buffer;

  constructor() {
    this.#publicPair = Buffer.alloc(this.signingKeyLength());
    this.expand(PUBLIC_SCALAR, this.#publicPair);
  }

  signingKeyLength(): number {
    return POINT_OFFSET + POINT_BYTES;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    const point = deriveP256Point(privateKey);
    if (point === undefined) {
      throw new InvalidPrivateKeyError('The key is not a P-256 private key: it is zero or not below the group order.');
    }
    signingKey.set(KEY_START);
    signingKey.set(privateKey, KEY_START.length);
    signingKey.set(KEY_MIDDLE, MIDDLE_OFFSET);
    signingKey.set(point, POINT_OFFSET);
  }

  publicKey(signingKey: SecretBytes): string {
    return Buffer.concat([SPKI_START, signingKey.subarray(POINT_OFFSET)]).toString('base64');
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    try {
      const key = Buffer.from(signingKey.buffer, signingKey.byteOffset, signingKey.length);
      return encodeSignature(signBy(key, message), encoding);
    } finally {
      signBy(this.#publicPair, PUBLIC_MESSAGE);
    }
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

function signBy(key: Buffer, message: Uint8Array): Buffer {
  return createSign('sha256').update(message).sign({ key, format: 'der', type: 'sec1', dsaEncoding: DSA_ENCODING });
}

function decodePublicKey(text: string): Buffer | undefined {
  const key = Buffer.from(text, 'base64');
  const isP256 =
    key.length === SPKI_START.length + POINT_BYTES && key.subarray(0, SPKI_START.length).equals(SPKI_START);
  return isP256 && key.toString('base64') === text ? key : undefined;
}
