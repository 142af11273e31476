/** What a public key of the service is of. */
export type KeyKind = 'ed25519' | 'secp256k1' | 'mac' | 'unknown';

const SECP256K1_KEY = /^0x04[0-9a-f]{128}$/;
const MAC_ID = /^hmac:[0-9a-f]{16}$/;
const BASE58_KEY = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const KIND_OF_ALGORITHM: ReadonlyMap<string, KeyKind> = new Map([
  ['ed25519', 'ed25519'],
  ['eip191', 'secp256k1'],
  ['eip712', 'secp256k1'],
  ['hyperliquid-l1', 'secp256k1'],
  ['hmac-sha256', 'mac'],
  ['hmac-sha512', 'mac'],
]);

/** By the form in which the service writes it. */
export function kindOfKey(publicKey: string): KeyKind {
  if (SECP256K1_KEY.test(publicKey)) return 'secp256k1';
  if (MAC_ID.test(publicKey)) return 'mac';
  return BASE58_KEY.test(publicKey) ? 'ed25519' : 'unknown';
}

/** Which keys an algorithm takes. */
export function kindOfAlgorithm(algorithm: string): KeyKind {
  return KIND_OF_ALGORITHM.get(algorithm) ?? 'unknown';
}
