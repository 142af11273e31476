/**
 * Signing algorithms an account can have. One account has one algorithm for its whole life, so that a key never
 * serves two purposes.
 *
 * - `ed25519`: RFC 8032 §5.1, 32-byte private key, 64-byte signature
 * - `eip191`: EIP-191 version 0x45 ("personal_sign") over secp256k1, 32-byte private key, 65-byte signature r‖s‖v
 */
export const ALGORITHMS = ['ed25519', 'eip191'] as const;

/** See {@link ALGORITHMS}. */
export type Algorithm = (typeof ALGORITHMS)[number];
