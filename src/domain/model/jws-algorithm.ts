import { ALGORITHMS, type Algorithm } from './algorithm.ts';

/** Names in the header `alg` of JWS (RFC 7518 §3.1; RFC 8037 §3.1 for Ed25519). */
const JWS_NAMES: { readonly [Name in Algorithm]?: string } = {
  ed25519: 'EdDSA',
  'hmac-sha256': 'HS256',
  'hmac-sha512': 'HS512',
  es256: 'ES256',
};

/** The `alg` of an algorithm's tokens; undefined for one that JWS does not know. */
export function getJwsName(algorithm: Algorithm): string | undefined {
  return JWS_NAMES[algorithm];
}

/** Algorithms that sign tokens. */
export const JWT_ALGORITHMS: readonly Algorithm[] = ALGORITHMS.filter((name) => getJwsName(name) !== undefined);
