import { createHmac, createPublicKey, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { SDK_KEYS } from './sdk-record.ts';
import { toPrivateKey } from './test-keys.ts';

/**
 * How a client's token (RFC 7519) differs from the preset's:
 *
 * - `same token`: the same text signed with other random numbers
 * - `same members`: header and claims have the same members, in another order or without `typ`,
 *   which is optional (RFC 7519 §5.1)
 * - `same claims`: the claims have the same members, the header has another algorithm
 */
export type TokenResult = 'same token' | 'same members' | 'same claims';

/**
 * Compares tokens by their members. A token without a valid signature by the test key is never the
 * same.
 * @returns undefined if they differ, or a text is no token
 */
export function compareTokens(ours: string, theirs: string): TokenResult | undefined {
  const [own, other] = [readToken(ours), readToken(theirs)];
  if (own === undefined || other === undefined || !isSigned(own) || !isSigned(other)) return undefined;
  if (own.text === other.text) return 'same token';
  if (!isDeepStrictEqual(own.claims, other.claims)) return undefined;
  const [ownHeader, otherHeader] = [own, other].map(({ header }) => ({ typ: 'JWT', ...header }));
  if (isDeepStrictEqual(ownHeader, otherHeader)) return 'same members';
  return isDeepStrictEqual({ ...otherHeader, alg: own.header.alg }, ownHeader) ? 'same claims' : undefined;
}

/** The decoded header and claims, for a message; undefined if the text is no token. */
export function describeToken(token: string): string | undefined {
  const read = readToken(token);
  return read && JSON.stringify([read.header, read.claims]);
}

interface Token {
  readonly header: { readonly alg?: unknown };
  readonly claims: unknown;
  /** What is signed. */
  readonly text: string;
  readonly signature: Buffer;
}

function readToken(token: string): Token | undefined {
  const parts = token.split('.');
  const [header = '', claims = '', signature = ''] = parts;
  if (parts.length !== 3) return undefined;
  const [decodedHeader, decodedClaims] = [header, claims].map((part) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()),
  );
  const text = `${header}.${claims}`;
  return { header: decodedHeader, claims: decodedClaims, text, signature: Buffer.from(signature, 'base64url') };
}

/** Verifies by the token's own algorithm (RFC 7518 §3.1, RFC 8037 §3.1). */
function isSigned({ header, text, signature }: Token): boolean {
  const data = Buffer.from(text);
  switch (header.alg) {
    case 'HS256':
      return createHmac('sha256', SDK_KEYS.secret).update(data).digest().equals(signature);
    case 'HS512':
      return createHmac('sha512', SDK_KEYS.secret).update(data).digest().equals(signature);
    case 'ES256': {
      const key = createPublicKey(toPrivateKey('es256'));
      return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
    }
    case 'EdDSA':
      return verify(null, data, createPublicKey(toPrivateKey('ed25519')), signature);
    default:
      return false;
  }
}
