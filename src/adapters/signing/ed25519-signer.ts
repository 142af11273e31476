import sodium from 'sodium-native';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { decodeBase58, encodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { decodeSignature, encodeSignature, SELF_TEST_PROBE } from './signature-text.ts';

/**
 * Ed25519 (RFC 8032 §5.1) by libsodium. Private key: 32-byte seed. Signing key: 64 bytes
 * seed‖publicKey. Public key: base58 of 32 bytes. Signature: 64 bytes.
 */
export class Ed25519Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'ed25519';
  readonly signingKeyLength = sodium.crypto_sign_SECRETKEYBYTES;
  readonly probe = SELF_TEST_PROBE;
  /** Reused to spare allocations. */
  readonly #signature = Buffer.alloc(sodium.crypto_sign_BYTES);

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    sodium.crypto_sign_seed_keypair(publicKey, signingKey, privateKey);
  }

  publicKey(signingKey: SecretBytes): string {
    return encodeBase58(signingKey.subarray(sodium.crypto_sign_SEEDBYTES));
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    sodium.crypto_sign_detached(this.#signature, message, signingKey);
    return encodeSignature(this.#signature, encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const key = decodeBase58(publicKey);
    const bytes = decodeSignature(signature, encoding, sodium.crypto_sign_BYTES);
    if (key?.length !== sodium.crypto_sign_PUBLICKEYBYTES || bytes === undefined) return false;
    return sodium.crypto_sign_verify_detached(bytes, message, key);
  }
}
