import { hash } from 'node:crypto';
import secp256k1 from 'secp256k1-native';
import type { SecretBytes } from '../../domain/model/account.ts';
import type { SignatureEncoding } from '../../domain/model/algorithm.ts';
import { readSignDoc } from '../../domain/payload/sign-doc.ts';
import type { PublicKeySigner } from '../../ports/signer.ts';
import { getSigningContext, getVerifyingContext } from '../vault/secp256k1-contexts.ts';
import { copyScalar, PRIVATE_KEY_BYTES } from './secp256k1-signer.ts';
import { decodeSignature, encodeSignature } from './signature-text.ts';

const PUBLIC_KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;

/** A SignDoc of a chain that does not exist, with a message type that no chain knows. */
const PROBE = Buffer.from(
  '0a230a210a1f2f7369676e696e672e736572766963652e76312e4b657953656c6654657374120a0a0612040a02080112001a207369676e696e672d736572766963652d6b65792d73656c662d746573742d7631',
  'hex',
);

/**
 * ECDSA over secp256k1 and SHA-256 as chains of the Cosmos SDK use it, by libsecp256k1 with RFC
 * 6979 nonces. Signature: 64 bytes r‖s, low s. Public key: base64 of the 33-byte compressed point
 * (SEC 1 §2.3.3). Signs only the canonical bytes of a SignDoc (SIGN_MODE_DIRECT).
 *
 * @see https://docs.cosmos.network/main/build/architecture/adr-020-protobuf-transaction-encoding
 */
export class CosmosSigner implements PublicKeySigner {
  readonly kind = 'public-key';
  readonly algorithm = 'cosmos';
  readonly privateKeyLengths = { min: PRIVATE_KEY_BYTES, max: PRIVATE_KEY_BYTES };
  readonly probe = PROBE;
  /** Reused to spare allocations. */
  readonly #native = Buffer.alloc(secp256k1.secp256k1_ecdsa_SIGBYTES);
  readonly #signature = Buffer.alloc(SIGNATURE_BYTES);

  signingKeyLength(): number {
    return PRIVATE_KEY_BYTES;
  }

  expand(privateKey: SecretBytes, signingKey: SecretBytes): void {
    copyScalar(privateKey, signingKey);
  }

  publicKey(signingKey: SecretBytes): string {
    const context = getSigningContext();
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    secp256k1.secp256k1_ec_pubkey_create(context, point, signingKey);
    const serialized = Buffer.alloc(PUBLIC_KEY_BYTES);
    secp256k1.secp256k1_ec_pubkey_serialize(context, serialized, point, secp256k1.secp256k1_ec_COMPRESSED);
    return serialized.toString('base64');
  }

  sign(signingKey: SecretBytes, message: Uint8Array, encoding: SignatureEncoding): string {
    if (!readSignDoc(message).ok) throw new Error('Not a message that cosmos signs.');
    const context = getSigningContext();
    secp256k1.secp256k1_ecdsa_sign(context, this.#native, sha256(message), signingKey);
    secp256k1.secp256k1_ecdsa_signature_serialize_compact(context, this.#signature, this.#native);
    return encodeSignature(this.#signature, encoding);
  }

  verify(publicKey: string, message: Uint8Array, signature: string, encoding: SignatureEncoding): boolean {
    const bytes = decodeSignature(signature, encoding, SIGNATURE_BYTES);
    const key = decodeSignature(publicKey, 'base64', PUBLIC_KEY_BYTES);
    if (bytes === undefined || key === undefined || !readSignDoc(message).ok) return false;
    const context = getVerifyingContext();
    const native = Buffer.alloc(secp256k1.secp256k1_ecdsa_SIGBYTES);
    const point = Buffer.alloc(secp256k1.secp256k1_PUBKEYBYTES);
    try {
      secp256k1.secp256k1_ec_pubkey_parse(context, point, key);
      secp256k1.secp256k1_ecdsa_signature_parse_compact(context, native, bytes);
    } catch {
      return false;
    }
    return secp256k1.secp256k1_ecdsa_verify(context, native, sha256(message), point);
  }
}

function sha256(message: Uint8Array): Buffer {
  return hash('sha256', message, 'buffer');
}
