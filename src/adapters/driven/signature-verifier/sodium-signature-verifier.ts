import sodium from 'sodium-native';
import type { SignatureVerifier } from '../../../ports/signature-verifier.ts';

/**
 * Ed25519 by libsodium, which refuses public keys and commitments of small order and encodings that are not canonical. OpenSSL, and so node:crypto, takes them: under the public key 01 00…00, any message has a
 * signature that anybody can make.
 */
export class SodiumSignatureVerifier implements SignatureVerifier {
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    if (publicKey.length !== sodium.crypto_sign_PUBLICKEYBYTES) return false;
    if (signature.length !== sodium.crypto_sign_BYTES) return false;
    return sodium.crypto_sign_verify_detached(signature, message, publicKey);
  }
}
