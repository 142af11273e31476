/* Parameters that every client signs, and the test keys. */
import { createPublicKey } from 'node:crypto';

/** Reserved characters of RFC 3986 §2.2 and a space; without `&`. */
export const RESERVED = 'a/b:c+d,e f=g';

/** With `&`, which only an encoded query can contain. */
export const AMPERSAND = 'a&b';

/** A symbol that Binance lists. */
export const NON_ASCII = '币安人生USDT';

/** The test keys of the records, as in `sdk-record.ts`. */
export const KEYS = JSON.parse(process.argv[3]);

/** The Ed25519 key as PEM. */
export const PEM = KEYS.ed25519Pem;

/** Name and Ed25519 key as Coinbase shows them: the key is base64 of seed and public key. */
export const COINBASE = {
  keyName: 'organizations/test-organization/apiKeys/test-api-key',
  ed25519Secret: toSeedAndPublicKey().toString('base64'),
};

function toSeedAndPublicKey() {
  const { x } = createPublicKey(PEM).export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(KEYS.seed, 'hex'), Buffer.from(x, 'base64url')]);
}
