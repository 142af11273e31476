import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SchemeName } from './algorithms.ts';
import { isEd25519Signature, readPublicKey } from './ed25519.ts';
import { decodeText } from './encodings.ts';

/** How signatures of an algorithm are verified. */
export interface SignatureScheme {
  /** Whether a text is a public key, or an identifier of a secret, in the form of the service. */
  isKey(publicKey: string): boolean;

  /**
   * Whether a signature is the key's over the payload; absent where the client cannot tell. Rejects
   * if ethers, which some schemes load, is not installed.
   * @param decode the decodings of the signature with this length in bytes
   */
  verify?(publicKey: string, payload: Uint8Array, decode: (length: number) => readonly Buffer[]): Promise<boolean>;
}

const ED25519_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const ETHEREUM_KEY = /^0x04[0-9a-f]{128}$/;
/** The x coordinate. */
const STARK_KEY = /^0x[0-9a-f]{64}$/;
const MAC_ID = /^hmac:[0-9a-f]{16}$/;
/** Base64 of SubjectPublicKeyInfo (RFC 5480 §2) with an uncompressed point, 91 bytes. */
const P256_KEY = /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z0-9+/]{86}==$/;
/** Base64 of SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), 294 to 558 bytes. */
const RSA_KEY = /^MII[0-9A-Za-z+/]{380,760}={0,2}$/;
const RSA_BITS = { min: 2048, max: 4096 };

/** SubjectPublicKeyInfo of a compressed secp256k1 point (RFC 5480 §2), without the point. */
const COSMOS_SPKI = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');
const COSMOS_KEY_BYTES = 33;

/** Half the group order of secp256k1 (SEC 2 §2.4.1), big-endian. */
const HALF_GROUP_ORDER = Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex');

/** Bytes of r‖s. */
const SIGNATURE_BYTES = 64;
const S_OFFSET = 32;

/** `0x19 0x01` and two hashes (EIP-712). */
const TYPED_DATA_BYTES = 66;

/** By the names in `algorithms.ts`. */
export const SCHEMES: { readonly [Name in SchemeName]: SignatureScheme } = {
  ed25519: {
    isKey: (publicKey) => ED25519_KEY.test(publicKey) && readPublicKey(publicKey) !== null,
    verify: async (publicKey, payload, decode) => {
      const key = readPublicKey(publicKey);
      return key !== null && decode(SIGNATURE_BYTES).some((bytes) => isEd25519Signature(key, payload, bytes));
    },
  },
  'personal-message': ethereumScheme((payload) =>
    Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${payload.length}`), payload]),
  ),
  'typed-data': ethereumScheme(typedData),
  'hyperliquid-l1': ethereumScheme(typedData),
  // Chains reject a high s.
  'sign-doc': sha256Scheme(readCosmosKey, (bytes) => Buffer.compare(bytes.subarray(S_OFFSET), HALF_GROUP_ORDER) <= 0),
  es256: sha256Scheme((text) => (P256_KEY.test(text) ? readSpki(Buffer.from(text, 'base64')) : null)),
  rsa: sha256Scheme(readRsaKey),
  // No package that the client may load verifies Stark signatures.
  starknet: { isKey: (publicKey) => STARK_KEY.test(publicKey) },
  hmac: { isKey: (publicKey) => MAC_ID.test(publicKey) },
};

/** secp256k1 and Keccak-256, with a signature r‖s‖v, by ethers. */
function ethereumScheme(toMessage: (payload: Uint8Array) => Uint8Array | null): SignatureScheme {
  return {
    isKey: (publicKey) => ETHEREUM_KEY.test(publicKey),
    verify: async (publicKey, payload, decode) => {
      const [{ keccak256 }, { computeAddress, recoverAddress }] = await Promise.all([
        import('ethers/crypto'),
        import('ethers/transaction'),
      ]);
      const message = toMessage(payload);
      if (message === null) return false;
      return decode(SIGNATURE_BYTES + 1).some((bytes) => {
        try {
          return recoverAddress(keccak256(message), `0x${bytes.toString('hex')}`) === computeAddress(publicKey);
        } catch {
          // ethers throws for a malformed signature or key.
          return false;
        }
      });
    },
  };
}

function typedData(payload: Uint8Array): Uint8Array | null {
  return payload.length === TYPED_DATA_BYTES && payload[0] === 0x19 && payload[1] === 0x01 ? payload : null;
}

/** SHA-256 with RSA (RFC 8017 §8.2.2) or ECDSA (r‖s), by OpenSSL. */
function sha256Scheme(
  readKey: (text: string) => KeyObject | null,
  accepts: (signature: Buffer) => boolean = () => true,
): SignatureScheme {
  return {
    isKey: (publicKey) => readKey(publicKey) !== null,
    verify: async (publicKey, payload, decode) => {
      const key = readKey(publicKey);
      if (key === null) return false;
      const { modulusLength: bits = 8 * SIGNATURE_BYTES } = key.asymmetricKeyDetails ?? {};
      const isSignature = (bytes: Buffer) => verify('sha256', payload, { key, dsaEncoding: 'ieee-p1363' }, bytes);
      return decode(Math.ceil(bits / 8)).some((bytes) => accepts(bytes) && isSignature(bytes));
    },
  };
}

function readCosmosKey(text: string): KeyObject | null {
  const point = decodeText(text, 'base64');
  return point?.length === COSMOS_KEY_BYTES ? readSpki(Buffer.concat([COSMOS_SPKI, point])) : null;
}

function readRsaKey(text: string): KeyObject | null {
  const der = RSA_KEY.test(text) ? decodeText(text, 'base64') : null;
  const key = der === null ? null : readSpki(der);
  const bits = key?.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
  return bits >= RSA_BITS.min && bits <= RSA_BITS.max ? key : null;
}

/** Null for malformed keys and points outside the curve. */
function readSpki(key: Buffer): KeyObject | null {
  try {
    return createPublicKey({ key, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
