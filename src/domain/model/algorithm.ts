/**
 * Signing algorithms. An account keeps its algorithm for life, so that a key serves one purpose,
 * and those of its platform's named rules (see `platform.ts`).
 *
 * - `ed25519`: RFC 8032 §5.1, 32-byte private key, 64-byte signature
 * - `eip191`: EIP-191 version 0x45 ("personal_sign") over secp256k1, 32-byte private key, 65-byte
 *   signature r‖s‖v
 * - `eip712`: EIP-712 typed data (EIP-191 version 0x01) over secp256k1, key and signature as
 *   `eip191`
 * - `hyperliquid-l1`: Hyperliquid's L1 actions, EIP-712 typed data of the domain Exchange; key and
 *   signature as `eip191`
 * - `cosmos`: ECDSA over secp256k1 and SHA-256, of transactions of Cosmos chains only; 32-byte
 *   private key, 64-byte signature r‖s
 * - `hmac-sha256`, `hmac-sha384`, `hmac-sha512`: HMAC (RFC 2104), secret of 1 to 1024 bytes, 32,
 *   48 or 64 bytes
 * - `starknet`: SNIP-12 typed data by ECDSA over the Stark curve, 32-byte private key, 64-byte
 *   signature r‖s
 * - `rsa-sha256`: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2), modulus of 2048 to 4096 bits,
 *   RSAPrivateKey in DER (§A.1.2) of 1000 to 2400 bytes, signature as long as the modulus
 * - `es256`: ECDSA over P-256 with SHA-256 (RFC 7518 §3.4), 32-byte private key, 64-byte signature
 *   r‖s
 */
export const ALGORITHMS = [
  'ed25519',
  'eip191',
  'eip712',
  'hyperliquid-l1',
  'hmac-sha256',
  'hmac-sha384',
  'hmac-sha512',
  'starknet',
  'rsa-sha256',
  'cosmos',
  'es256',
] as const;

/** See {@link ALGORITHMS}. */
export type Algorithm = (typeof ALGORITHMS)[number];

/** What an algorithm works with: a kind of key pair, typed data only, or a shared secret. */
type AlgorithmKind =
  | 'ed25519'
  | 'secp256k1'
  | 'secp256k1-typed-data'
  | 'cosmos'
  | 'mac'
  | 'stark-typed-data'
  | 'rsa'
  | 'p256';

const KIND = {
  ed25519: 'ed25519',
  eip191: 'secp256k1',
  eip712: 'secp256k1-typed-data',
  'hyperliquid-l1': 'secp256k1-typed-data',
  'hmac-sha256': 'mac',
  'hmac-sha384': 'mac',
  'hmac-sha512': 'mac',
  starknet: 'stark-typed-data',
  'rsa-sha256': 'rsa',
  cosmos: 'cosmos',
  es256: 'p256',
} as const satisfies { readonly [Name in Algorithm]: AlgorithmKind };

type AlgorithmOfKind<Kind extends AlgorithmKind> = {
  [Name in Algorithm]: (typeof KIND)[Name] extends Kind ? Name : never;
}[Algorithm];

/** Algorithms over secp256k1, whose keys have an Ethereum address. */
export type Secp256k1Algorithm = AlgorithmOfKind<'secp256k1' | 'secp256k1-typed-data'>;

/** Whether an algorithm's keys are secp256k1 keys. */
export function isSecp256k1Algorithm(algorithm: Algorithm): algorithm is Secp256k1Algorithm {
  return KIND[algorithm] === 'secp256k1' || KIND[algorithm] === 'secp256k1-typed-data';
}

/** See {@link Secp256k1Algorithm}. */
export const SECP256K1_ALGORITHMS = ALGORITHMS.filter(isSecp256k1Algorithm);

/** Algorithms that sign typed data only: of EIP-712 or SNIP-12. */
export type TypedDataAlgorithm = AlgorithmOfKind<'secp256k1-typed-data' | 'stark-typed-data'>;

/** See {@link TypedDataAlgorithm}. */
export const TYPED_DATA_ALGORITHMS = ALGORITHMS.filter(
  (algorithm): algorithm is TypedDataAlgorithm =>
    KIND[algorithm] === 'secp256k1-typed-data' || KIND[algorithm] === 'stark-typed-data',
);

/** Algorithms that sign only what a payload rule made for them, which no other algorithm signs. */
export type BoundAlgorithm = TypedDataAlgorithm | AlgorithmOfKind<'cosmos'>;

/** See {@link BoundAlgorithm}. */
export const BOUND_ALGORITHMS: readonly BoundAlgorithm[] = [...TYPED_DATA_ALGORITHMS, 'cosmos'];

/** Algorithms whose signatures only a holder of the secret can verify. */
export type MacAlgorithm = AlgorithmOfKind<'mac'>;

/** Whether an algorithm's signatures are message authentication codes. */
export function isMacAlgorithm(algorithm: Algorithm): algorithm is MacAlgorithm {
  return KIND[algorithm] === 'mac';
}

/** See {@link MacAlgorithm}. */
export const MAC_ALGORITHMS = ALGORITHMS.filter(isMacAlgorithm);

/**
 * Hash functions of payload rules: SHA-256, SHA-512 (FIPS 180-4), Ethereum's Keccak-256 (not
 * SHA3-256).
 */
export type DigestAlgorithm = 'sha256' | 'sha512' | 'keccak256';

/**
 * Text encodings of a signature.
 *
 * - `base58`: Bitcoin alphabet, no checksum
 * - `base64`: RFC 4648 §4, padded; `base64url`: RFC 4648 §5, unpadded; `base64url-padded`: the same
 *   with padding
 * - `hex`: lower case, without a prefix
 * - `0x-hex`: lower case, with the prefix `0x`
 */
export const SIGNATURE_ENCODINGS = ['base58', 'base64', 'base64url', 'base64url-padded', 'hex', '0x-hex'] as const;

/** See {@link SIGNATURE_ENCODINGS}. */
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];

/**
 * Forms of a released signature: an encoding, or `jws-compact` for rule `jwt`, the whole token (RFC
 * 7515 §7.1): the signed text, `.` and the signature in base64url.
 */
export const SIGNATURE_FORMS = [...SIGNATURE_ENCODINGS, 'jws-compact'] as const;

/** See {@link SIGNATURE_FORMS}. */
export type SignatureForm = (typeof SIGNATURE_FORMS)[number];
