/**
 * Text encodings of a signature.
 *
 * - `base58`: Bitcoin alphabet, no checksum
 * - `base64`: RFC 4648 §4, padded; `base64url`: RFC 4648 §5, unpadded
 * - `hex`: lower case; with a `0x` prefix where the algorithm's field writes it so (`eip191`, `eip712`, `hyperliquid-l1`), without elsewhere
 * - `0x-hex`: lower case, with a `0x` prefix for every algorithm
 */
export const SIGNATURE_ENCODINGS = ['base58', 'base64', 'base64url', 'hex', '0x-hex'] as const;

/** See {@link SIGNATURE_ENCODINGS}. */
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];
