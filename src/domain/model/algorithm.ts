import { joinNames } from './text/wording.ts';

/** Kinds of private keys: curves of 32-byte keys, RSA, and secrets of HMAC. */
export type KeyKind = 'ed25519' | 'secp256k1' | 'p256' | 'stark' | 'rsa' | 'secret';

/** What is signed and how it is verified, each by code of its own in Signers and clients. */
export type SignatureScheme =
  | 'ed25519'
  | 'personal-message'
  | 'typed-data'
  | 'hyperliquid-l1'
  | 'sign-doc'
  | 'starknet'
  | 'rsa'
  | 'es256'
  | 'hmac';

/** All that tells an algorithm from others: a row is an algorithm. */
export interface AlgorithmRow {
  /** Private keys: selects their formats in files, and the Signer. */
  readonly keys: KeyKind;
  readonly scheme: SignatureScheme;
  /** Hash function of an HMAC. */
  readonly hash?: 'sha256' | 'sha384' | 'sha512';
  /** Whether public keys have an Ethereum address; absent: no. */
  readonly address?: true;
  /**
   * Whether it signs only what a payload rule made for it, which no other algorithm signs; absent:
   * any bytes.
   */
  readonly bound?: true;
  /** The format, beside C, D and `any`, whose platforms allow it by default. */
  readonly format?: 'A' | 'B';
  /** Default encoding of signatures. */
  readonly encoding: SignatureEncoding;
  /** Name in the header `alg` of JWS (RFC 7518 §3.1, RFC 8037 §3.1); absent: it signs no tokens. */
  readonly jws?: string;
  /** What is signed, for documents. */
  readonly signs: string;
  /** Text form of public keys, for documents. */
  readonly publicKey: string;
}

const ETHEREUM = {
  keys: 'secp256k1',
  address: true,
  encoding: '0x-hex',
  publicKey: '0x-hex of the 65-byte uncompressed point',
} as const;

const HMAC = {
  keys: 'secret',
  scheme: 'hmac',
  encoding: 'hex',
  signs: 'The payload (RFC 2104)',
  publicKey: '`hmac:` and 16 hex digits that identify the secret',
} as const;

const SPKI = 'base64 of SubjectPublicKeyInfo in DER';

const ROWS = {
  ed25519: {
    keys: 'ed25519',
    scheme: 'ed25519',
    format: 'A',
    encoding: 'base58',
    jws: 'EdDSA',
    signs: 'The payload (RFC 8032)',
    publicKey: 'base58 of 32 bytes',
  },
  eip191: {
    ...ETHEREUM,
    scheme: 'personal-message',
    format: 'B',
    signs: 'Keccak-256 of `"\\x19Ethereum Signed Message:\\n" ‖ byte length ‖ payload`',
  },
  eip712: {
    ...ETHEREUM,
    scheme: 'typed-data',
    bound: true,
    signs: 'Keccak-256 of the payload, which is typed data',
  },
  'hyperliquid-l1': {
    ...ETHEREUM,
    scheme: 'hyperliquid-l1',
    bound: true,
    signs: 'Keccak-256 of the payload, which is typed data of the domain `Exchange`',
  },
  'hmac-sha256': { ...HMAC, hash: 'sha256', jws: 'HS256' },
  'hmac-sha384': { ...HMAC, hash: 'sha384' },
  'hmac-sha512': { ...HMAC, hash: 'sha512', jws: 'HS512' },
  starknet: {
    keys: 'stark',
    scheme: 'starknet',
    bound: true,
    encoding: '0x-hex',
    signs: "Pedersen or Poseidon hash of the payload's numbers, by ECDSA over the Stark curve",
    publicKey: '0x-hex of the 32-byte x coordinate',
  },
  'rsa-sha256': {
    keys: 'rsa',
    scheme: 'rsa',
    encoding: 'base64',
    signs: 'SHA-256 of the payload (RSASSA-PKCS1-v1_5, RFC 8017), as many bytes as the modulus',
    publicKey: SPKI,
  },
  cosmos: {
    keys: 'secp256k1',
    scheme: 'sign-doc',
    bound: true,
    encoding: 'base64',
    signs: 'SHA-256 of the payload, a SignDoc, by ECDSA over secp256k1; r‖s, 64 bytes, low s',
    publicKey: 'base64 of the 33-byte compressed point',
  },
  es256: {
    keys: 'p256',
    scheme: 'es256',
    encoding: 'base64url',
    jws: 'ES256',
    signs: 'SHA-256 of the payload, with ECDSA over P-256 (RFC 7518)',
    publicKey: SPKI,
  },
} as const satisfies { readonly [name: string]: AlgorithmRow };

/**
 * Name of a signing algorithm. An account keeps its algorithm for life, so that a key serves one
 * purpose, and those of its platform's named rules (see `platform.ts`).
 */
export type Algorithm = keyof typeof ROWS;

/** Everything about each algorithm but the code of its Signer. */
export const ALGORITHM_ROWS: { readonly [Name in Algorithm]: AlgorithmRow } = ROWS;

/** All algorithms. */
export const ALGORITHMS = Object.keys(ROWS) as readonly string[] as readonly [Algorithm, ...Algorithm[]];

/** Whether an algorithm's signatures are message authentication codes: only the secret verifies. */
export function isMacAlgorithm(algorithm: Algorithm): boolean {
  return ALGORITHM_ROWS[algorithm].keys === 'secret';
}

/** Whether an algorithm's public keys have an Ethereum address; such keys serve each other's. */
export function isEthereumAlgorithm(algorithm: Algorithm): boolean {
  return ALGORITHM_ROWS[algorithm].address === true;
}

/** See {@link isEthereumAlgorithm}. */
export const ETHEREUM_ALGORITHMS = ALGORITHMS.filter(isEthereumAlgorithm);

/** See {@link AlgorithmRow.bound}. */
export const BOUND_ALGORITHMS = ALGORITHMS.filter((name) => ALGORITHM_ROWS[name].bound);

/** Algorithms that sign tokens. */
export const JWT_ALGORITHMS = ALGORITHMS.filter((name) => ALGORITHM_ROWS[name].jws !== undefined);

/** What algorithms have in a field, for descriptions: "base58 for `ed25519`; hex for …". */
export function describeAlgorithms(field: 'encoding' | 'publicKey'): string {
  const namesOf = (value: string) => ALGORITHMS.filter((name) => ALGORITHM_ROWS[name][field] === value);
  const quote = (name: string) => `\`${name}\``;
  return [...new Set(ALGORITHMS.map((name) => ALGORITHM_ROWS[name][field]))]
    .map((value) => `${value} for ${joinNames(namesOf(value).map(quote), 'and')}`)
    .join('; ');
}

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

/** The encoding in which a signer writes a signature of this form. */
export function toSignerEncoding(form: SignatureForm): SignatureEncoding {
  return form === 'jws-compact' ? 'base64url' : form;
}

/**
 * The released text of a signature.
 * @param signature in {@link toSignerEncoding}
 * @param signedText the text of the signed payload
 */
export function toReleasedText(form: SignatureForm, signature: string, signedText: string): string {
  return form === 'jws-compact' ? `${signedText}.${signature}` : signature;
}

/** Inverse of {@link toReleasedText}; undefined for a token with other content. */
export function fromReleasedText(form: SignatureForm, released: string, signedText: string): string | undefined {
  if (form !== 'jws-compact') return released;
  return released.startsWith(`${signedText}.`) ? released.slice(signedText.length + 1) : undefined;
}
