import sodium from 'sodium-native';
import type { SignatureVerifier } from '../../ports/authentication.ts';

/**
 * Ed25519 by libsodium, which rejects small-order keys and non-canonical encodings. OpenSSL
 * (node:crypto) accepts them: under the key 01 00…00, anyone can sign any message.
 */
export class SodiumSignatureVerifier implements SignatureVerifier {
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
    if (publicKey.length !== sodium.crypto_sign_PUBLICKEYBYTES) return false;
    if (signature.length !== sodium.crypto_sign_BYTES) return false;
    return sodium.crypto_sign_verify_detached(signature, message, publicKey);
  }
}
