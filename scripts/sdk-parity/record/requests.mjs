/* Parameters that every client signs. */

/** Reserved characters of RFC 3986 §2.2 and a space; without `&`. */
export const RESERVED = 'a/b:c+d,e f=g';

/** With `&`, which only an encoded query can contain. */
export const AMPERSAND = 'a&b';

/** A symbol that Binance lists. */
export const NON_ASCII = '币安人生USDT';

/** The test keys of the records, as in `sdk-record.ts`. */
export const KEYS = JSON.parse(process.argv[3]);

/** The Ed25519 key as PEM (PKCS#8, RFC 8410 §7). */
export const PEM = toPem(`302e020100300506032b657004220420${KEYS.seed}`);

function toPem(hex) {
  return `-----BEGIN PRIVATE KEY-----\n${Buffer.from(hex, 'hex').toString('base64')}\n-----END PRIVATE KEY-----`;
}
