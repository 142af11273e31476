import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { getKeyLengths, type SecretBytes } from '../../domain/model/account.ts';
import { ALGORITHM_ROWS, type Algorithm, type SignatureEncoding } from '../../domain/model/algorithm.ts';
import { InvalidPrivateKeyError } from '../../domain/model/errors.ts';
import type { MacSigner } from '../../ports/signer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

const PUBLIC_TEXT = 'public';

/** 64 bits, so that secrets of one configuration don't collide by chance. */
const IDENTIFIER_DIGITS = 16;

/**
 * HMAC (RFC 2104, FIPS 198-1) with the hash function of the algorithm's row. Private and signing
 * key: the secret, 1 to 1024 bytes. Signature: the whole MAC.
 *
 * OpenSSL keeps key-equivalent hash states until `digest`, then wipes them: never leave an Hmac
 * object unfinished. With SHA instructions it leaves a state in vector registers, which V8 saves to
 * ordinary memory when it deoptimizes a function: each MAC is followed by a hash of public bytes,
 * which overwrites them.
 */
export class HmacSigner implements MacSigner {
  readonly kind = 'mac';
  readonly algorithm;
  readonly probe = SELF_TEST_PROBE;
  /** As node:crypto names it. */
  readonly #hash: string;
  readonly #length: number;

  constructor(algorithm: Algorithm) {
    const { hash: name } = ALGORITHM_ROWS[algorithm];
    if (name === undefined) throw new Error(`${algorithm} is no HMAC.`);
    this.algorithm = algorithm;
    this.#hash = name;
    this.#length = hash(name, PUBLIC_TEXT, 'buffer').length;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    const { min, max } = getKeyLengths(this.algorithm);
    if (privateKey.length < min || privateKey.length > max) {
      throw new InvalidPrivateKeyError(`The key is not an HMAC secret of ${min} to ${max} bytes.`);
    }
    copySecret(privateKey, signingKey);
  }

  /**
   * Key id: `hmac:` and the first 16 hex digits of SHA-256 over the MAC of a fixed text. It allows
   * offline guessing, like any signature, so secrets must be random, not passwords.
   */
  publicKey(signingKey: SecretBytes): string {
    const mac = this.#mac(signingKey, Buffer.from(`signing-service/hmac-key-id/v1/${this.algorithm}`, 'ascii'));
    return `hmac:${createHash('sha256').update(mac).digest('hex').slice(0, IDENTIFIER_DIGITS)}`;
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    return encodeSignature(this.#mac(signingKey, message), encoding);
  }

  verifyWithSecret(
    signingKey: SecretBytes,
    message: Uint8Array,
    signature: string,
    encoding: SignatureEncoding,
  ): boolean {
    const mac = decodeSignature(signature, encoding, this.#length);
    return mac !== undefined && timingSafeEqual(mac, this.#mac(signingKey, message));
  }

  #mac(signingKey: SecretBytes, message: Uint8Array): Buffer {
    const mac = createHmac(this.#hash, signingKey).update(message).digest();
    hash(this.#hash, PUBLIC_TEXT);
    return mac;
  }
}
