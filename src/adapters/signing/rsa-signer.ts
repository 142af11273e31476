import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { RSA_MODULUS_BITS, type SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { readRsaPrivateKey, validateRsaPrivateKey } from '../vault/rsa-private-key.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { RSA_SELF_TEST_KEY } from './rsa-self-test-key.ts';
import { SecretExponentiation } from './secret-exponentiation.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

/** DER of DigestInfo with SHA-256, before the digest (RFC 8017 §9.2, note 1). */
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
const BITS_OF_BYTE = 8;

/**
 * RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2). Private and signing key: RSAPrivateKey in DER
 * (§A.1.2). Signature: as many bytes as the modulus, 256 to 512. Only the modulus and the private
 * exponent sign, so that no computing error can reveal a prime (Boneh, DeMillo, Lipton 1997).
 */
export class RsaSigner implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'rsa-sha256';
  readonly probe = SELF_TEST_PROBE;
  readonly selfTestKey = RSA_SELF_TEST_KEY;
  readonly #exponentiation = new SecretExponentiation();

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    validateRsaPrivateKey(viewOf(privateKey));
    copySecret(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const { modulus, publicExponent } = readRsaPrivateKey(viewOf(signingKey));
    const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: publicExponent.toString('base64url') };
    return writePublicKey(createPublicKey({ key: jwk, format: 'jwk' }));
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    const { modulus, privateExponent } = readRsaPrivateKey(viewOf(signingKey));
    const encoded = encodeMessage(message, modulus.length);
    return encodeSignature(this.#exponentiation.compute(encoded, privateExponent, modulus), encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const key = readPublicKey(publicKey);
    if (key === undefined) return false;
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    const bytes = decodeSignature(signature, encoding, Math.ceil(bits / BITS_OF_BYTE));
    return bytes !== undefined && verify('sha256', message, key, bytes);
  }
}

/** EMSA-PKCS1-v1_5 of `length` bytes (RFC 8017 §9.2). */
function encodeMessage(message: Uint8Array, length: number): Buffer {
  const info = Buffer.concat([DIGEST_INFO, hash('sha256', message, 'buffer')]);
  const encoded = Buffer.alloc(length, 0xff);
  encoded.writeUInt16BE(1, 0);
  encoded.writeUInt8(0, length - info.length - 1);
  info.copy(encoded, length - info.length);
  return encoded;
}

/** Undefined for anything but what {@link writePublicKey} writes for an RSA key of such bits. */
function readPublicKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    const bits = key.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
    const isRightSize = bits >= RSA_MODULUS_BITS.min && bits <= RSA_MODULUS_BITS.max;
    return isRightSize && writePublicKey(key) === text ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Base64 of SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7). */
function writePublicKey(key: KeyObject): string {
  return key.export({ format: 'der', type: 'spki' }).toString('base64');
}

function viewOf(bytes: SecretBytes): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
