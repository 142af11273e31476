import bs58 from 'bs58';
import sodium from 'sodium-native';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';
import type { PublicKeySigner } from '../../../ports/signer.ts';
import { SELF_TEST_PROBE } from './self-test-probe.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';

/**
 * Ed25519 (RFC 8032 §5.1) by libsodium. The private key is the 32-byte seed, the signing key libsodium's 64 bytes seed‖publicKey, the
 * public key's text base58 of 32 bytes, a signature 64 bytes.
 */
export class Ed25519Signer implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'ed25519';
  readonly privateKeyLengths = { min: sodium.crypto_sign_SEEDBYTES, max: sodium.crypto_sign_SEEDBYTES };
  readonly probe = SELF_TEST_PROBE;
  /** Signatures are made here and written as text at once: memory of its own for each would have to be taken from the system and collected again. */
  readonly #signature = Buffer.alloc(sodium.crypto_sign_BYTES);

  signingKeyLength(): number {
    return sodium.crypto_sign_SECRETKEYBYTES;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    sodium.crypto_sign_seed_keypair(publicKey, signingKey, privateKey);
  }

  publicKey(signingKey: SecretBytes): string {
    return bs58.encode(signingKey.subarray(sodium.crypto_sign_SEEDBYTES));
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    sodium.crypto_sign_detached(this.#signature, message, signingKey);
    return encodeSignature(this.#signature, encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const key = bs58.decodeUnsafe(publicKey);
    const bytes = decodeSignature(signature, encoding, sodium.crypto_sign_BYTES);
    if (key?.length !== sodium.crypto_sign_PUBLICKEYBYTES || bytes === undefined) return false;
    return sodium.crypto_sign_verify_detached(bytes, message, key);
  }
}
