/**
 * How the secret of an HMAC account is made of the text in which its platform gives it.
 *
 * - `utf8`: the text's own bytes (most platforms, also where the text looks like hex)
 * - `hex`: two digits a byte; `base64`: RFC 4648 §4 (Kraken)
 * - `base64-text`: the text's base64 form is itself the secret, as ASCII (ApeX)
 */
export const SECRET_DECODINGS = ['utf8', 'hex', 'base64', 'base64-text'] as const;

/** See {@link SECRET_DECODINGS}. */
export type SecretDecoding = (typeof SECRET_DECODINGS)[number];
