/**
 * Signing algorithms an account can have. One account has one algorithm for its whole life, so that a key never
 * serves two purposes.
 *
 * - `ed25519`: RFC 8032 §5.1, 32-byte private key, 64-byte signature
 * - `eip191`: EIP-191 version 0x45 ("personal_sign") over secp256k1, 32-byte private key, 65-byte signature r‖s‖v
 * - `eip712`: EIP-712 typed data (EIP-191 version 0x01) over secp256k1, key and signature as `eip191`
 * - `hyperliquid-l1`: Hyperliquid's L1 actions, EIP-712 typed data of the one domain Exchange; key and signature as `eip191`
 * - `hmac-sha256`, `hmac-sha512`: HMAC of RFC 2104 with a secret of 1 to 1024 bytes that the platform knows too; 32 or 64 bytes
 */
export const ALGORITHMS = ['ed25519', 'eip191', 'eip712', 'hyperliquid-l1', 'hmac-sha256', 'hmac-sha512'] as const;

/** See {@link ALGORITHMS}. */
export type Algorithm = (typeof ALGORITHMS)[number];

/** Algorithms over secp256k1, whose keys have an Ethereum address. */
export const SECP256K1_ALGORITHMS = ['eip191', 'eip712', 'hyperliquid-l1'] as const satisfies readonly Algorithm[];

/** See {@link SECP256K1_ALGORITHMS}. */
export type Secp256k1Algorithm = (typeof SECP256K1_ALGORITHMS)[number];

/** Whether keys of this algorithm are keys of secp256k1. */
export function isSecp256k1Algorithm(algorithm: Algorithm): algorithm is Secp256k1Algorithm {
  return SECP256K1_ALGORITHMS.some((name) => name === algorithm);
}

/** Algorithms that sign nothing but EIP-712 typed data. */
export const TYPED_DATA_ALGORITHMS = ['eip712', 'hyperliquid-l1'] as const satisfies readonly Algorithm[];

/** Algorithms whose signature only a holder of the same secret can check. */
export const MAC_ALGORITHMS = ['hmac-sha256', 'hmac-sha512'] as const satisfies readonly Algorithm[];

/** See {@link MAC_ALGORITHMS}. */
export type MacAlgorithm = (typeof MAC_ALGORITHMS)[number];

/** Whether signatures of this algorithm are message authentication codes. */
export function isMacAlgorithm(algorithm: Algorithm): algorithm is MacAlgorithm {
  return MAC_ALGORITHMS.some((name) => name === algorithm);
}
