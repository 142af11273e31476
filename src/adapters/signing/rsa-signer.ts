import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';
import { RSA_MODULUS_BITS, type SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { readRsaPrivateKey, validateRsaPrivateKey } from '../vault/rsa-private-key.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { SecretExponentiation } from './secret-exponentiation.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

/** DER of DigestInfo with SHA-256, before the digest (RFC 8017 §9.2, note 1). */
const DIGEST_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex');
const BITS_OF_BYTE = 8;

/**
 * testRSA2048 of RFC 9500 §2.1, RSAPrivateKey in DER (RFC 8017 §A.1.2): a published key for tests,
 * which belongs to nobody.
 */
const RSA_SELF_TEST_KEY: Uint8Array = Buffer.from(
  [
    'MIIEowIBAAKCAQEAsPnoGUOnrpiSqt4XynxA+HRP7S+BSObI6qJ7fQAVSPtRkqso',
    'tWxQYLEYzNEx5ZSHTGypibVsJylvCfuToDTfMul8b/CZjP2Ob0LdpYrNH6l5hvFE',
    '89FU1nZQF15oVLOpUgA7wGiHuEVawrGfey92UE68mOyUVXGweJIVDdxqdMoPvNNU',
    'l86BU02vlBiESxOuox+dWmuVV7vfYZ79Toh/LUK43YvJh+rhv4nKuF7iHjVjBd9s',
    'B6iDjj70HFldzOQ9r8SRI+9NirupPTkF5AKNe6kUhKJ1luB7S27ZkvB3tSTT3P59',
    '3VVJvnzOjaA1z6Cz+4+eRvcysqhrRgFlwI9TEwIDAQABAoIBAEEYiyDP29vCzx/+',
    'dS3LqnI5BjUuJhXUnc6AWX/PCgVAO+8A+gZRgvct7PtZb0sM6P9ZcLrweomlGezI',
    'FrL0/6xQaa8bBr/ve/a8155OgcjFo6fZEw3Dz7ra5fbSiPmu4/b/kvrg+Br1l77J',
    'aun6uUAs1f5B9wW+vbR7tzbT/mxaUeDiBzKpe15GwcvbJtdIVMa2YErtRjc1/5B2',
    'BGVXyvlJv0SIlcIEMsHgnAFOp1ZgQ08aDzvilLq8XVMOahAhP1O2A3X8hKdXPyrx',
    'IVWE9bS9ptTo+eF6eNl+d7htpKGEZHUxinoQpWEBTv+iOoHsVunkEJ3vjLP3lyI/',
    'fY0NQ1ECgYEA3RBXAjgvIys2gfU3keImF8e/TprLge1I2vbWmV2j6rZCg5r/AS0u',
    'pii5CvJ5/T5vfJPNgPBy8B/yRDs+6PJO1GmnlhOkG9JAIPkv0RBZvR0PMBtbp6nT',
    'Y3yo1lwamBVBfY6rc0sLTzosZh2aGoLzrHNMQFMGaauORzBFpY5lU50CgYEAzPHl',
    'u5DI6Xgep1vr8QvCUuEesCOgJg8Yh1UqVoY/SmQh6MYAv1I9bLGwrb3WW/7kqIoD',
    'fj0aQV5buVZI2loMomtU9KY5SFIsPV+JuUpy7/+VE01ZQM5FdY8wiYCQiVZYju9X',
    'Wz5LxMNoz+gT7pwlLCsC4N+R8aoBk404aF1gum8CgYAJ7VTq7Zj4TFV7Soa/T1eE',
    'k9y8a+kdoYk3BASpCHJ29M5R2KEA7YV9wrBklHTz8VzSTFTbKHEQ5W5csAhoL5Fo',
    'qoHzFFi3Qx7MHESQb9qHyolHEMNx6QdsHUn7rlEnaTTyrXh3ifQtD6C0yTmFXUIS',
    'CW9wKApOrnyKJ9nI0HcuZQKBgQCMtoV6e9VGX4AEfpuHvAAnMYQFgeBiYTkBKltQ',
    'XwozhH63uMMomUmtSG87Sz1TmrXadjAhy8gsG6I0pWaN7QgBuFnzQ/HOkwTm+qKw',
    'AsrZt4zeXNwsH7QXHEJCFnCmqw9QzEoZTrNtHJHpNboBuVnYcoueZEJrP8OnUG3r',
    'UjmopwKBgAqB2KYYMUqAOvYcBnEfLDmyZv9BTVNHbR2lKkMYqv5LlvDaBxVfilE0',
    '2riO4p6BaAdvzXjKeRrGNEKoHNBpOSfYCOM16NjL8hIZB1CaV3WbT5oY+jp7Mzd5',
    '7d56RZOE+ERK2uz/7JX9VSsM/LbH9pJibd4e8mikDS9ntciqOH/3',
  ].join(''),
  'base64',
);

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
