import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { MacAlgorithm } from '../../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';
import type { MacSigner } from '../../../ports/signer.ts';
import { SELF_TEST_PROBE } from './self-test-probe.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';

const HASHES = {
  'hmac-sha256': { name: 'sha256', bytes: 32 },
  'hmac-sha512': { name: 'sha512', bytes: 64 },
} as const satisfies { readonly [Name in MacAlgorithm]: { readonly name: string; readonly bytes: number } };

/** 64 bits: two secrets of one configuration don't get the same identifier by chance. */
const IDENTIFIER_DIGITS = 16;

/**
 * HMAC (RFC 2104, FIPS 198-1) with SHA-256 or SHA-512. The private key is the secret, 1 to 1024 bytes, and so is the signing key; a signature is
 * the whole code, 32 or 64 bytes.
 *
 * Node computes it over the lent bytes in place. OpenSSL keeps the hash states that it makes of a secret, which are as good as it, until `digest`, and
 * wipes them then: so no Hmac object may be left unfinished.
 */
export class HmacSigner implements MacSigner {
  readonly kind = 'mac';
  readonly algorithm: MacAlgorithm;
  readonly privateKeyLengths = { min: 1, max: 1024 };
  readonly probe = SELF_TEST_PROBE;

  constructor(algorithm: MacAlgorithm) {
    this.algorithm = algorithm;
  }

  signingKeyLength(privateKeyLength: number): number {
    return privateKeyLength;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    const { min, max } = this.privateKeyLengths;
    if (privateKey.length < min || privateKey.length > max) {
      throw new InvalidPrivateKeyError(`The key is no secret for HMAC, which has ${min} to ${max} bytes here.`);
    }
    signingKey.set(privateKey);
  }

  /**
   * `hmac:` and 16 hex digits, by which a secret can be told from another: the first 64 bits of SHA-256 over the code of a text of this
   * service's own. It does not reveal the secret, but whoever guesses one can check the guess, as with any signature:
   * a secret has to be the random one that the platform gave out, not a password.
   */
  publicKey(signingKey: SecretBytes): string {
    const code = this.#code(signingKey, Buffer.from(`signing-service/hmac-key-id/v1/${this.algorithm}`, 'ascii'));
    return `hmac:${createHash('sha256').update(code).digest('hex').slice(0, IDENTIFIER_DIGITS)}`;
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    return encodeSignature(this.#code(signingKey, message), encoding);
  }

  verifyWithSecret(
    signingKey: SecretBytes,
    message: Uint8Array,
    signature: string,
    encoding: SignatureEncoding,
  ): boolean {
    const code = decodeSignature(signature, encoding, HASHES[this.algorithm].bytes);
    return code !== undefined && timingSafeEqual(code, this.#code(signingKey, message));
  }

  #code(signingKey: SecretBytes, message: Uint8Array): Buffer {
    return createHmac(HASHES[this.algorithm].name, signingKey).update(message).digest();
  }
}
