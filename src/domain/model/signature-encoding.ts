/**
 * Text encodings of a signature.
 *
 * - `base58`: Bitcoin alphabet, no checksum
 * - `base64`: RFC 4648 §4, padded; `base64url`: RFC 4648 §5, unpadded
 * - `hex`: lower case, without a prefix
 * - `0x-hex`: lower case, with the prefix `0x`
 */
export const SIGNATURE_ENCODINGS = ['base58', 'base64', 'base64url', 'hex', '0x-hex'] as const;

/** See {@link SIGNATURE_ENCODINGS}. */
export type SignatureEncoding = (typeof SIGNATURE_ENCODINGS)[number];
