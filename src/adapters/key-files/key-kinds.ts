import { MalformedSecretError } from './secret-text.ts';

/** Kinds of keys by the DER of their AlgorithmIdentifier's OID, for messages. */
const KINDS_OF_ALGORITHM: readonly (readonly [kind: string, oid: Buffer])[] = [
  // RFC 8410 §3.
  ['X25519', Buffer.from('06032b656e', 'hex')],
  ['X448', Buffer.from('06032b656f', 'hex')],
  ['Ed25519', Buffer.from('06032b6570', 'hex')],
  ['Ed448', Buffer.from('06032b6571', 'hex')],
  // RFC 8017 §A.1 and §A.2.3, 1.2.840.113549.1.1.1 and .10.
  ['RSA', Buffer.from('06092a864886f70d010101', 'hex')],
  ['RSA-PSS', Buffer.from('06092a864886f70d01010a', 'hex')],
  // RFC 3279 §2.3.2, 1.2.840.10040.4.1.
  ['DSA', Buffer.from('06072a8648ce380401', 'hex')],
];

/** Elliptic curves by the DER of their OIDs (RFC 5480 §2.1.1.1, SEC 2 §A.2.1). */
const KINDS_OF_CURVE: readonly (readonly [kind: string, oid: Buffer])[] = [
  ['secp256k1', Buffer.from('06052b8104000a', 'hex')],
  ['P-224', Buffer.from('06052b81040021', 'hex')],
  ['P-256', Buffer.from('06082a8648ce3d030107', 'hex')],
  ['P-384', Buffer.from('06052b81040022', 'hex')],
  ['P-521', Buffer.from('06052b81040023', 'hex')],
];

/** ecPublicKey, 1.2.840.10045.2.1, before the curve in an AlgorithmIdentifier (RFC 5480 §2.1.1). */
export const EC_PUBLIC_KEY = Buffer.from('06072a8648ce3d0201', 'hex');

/**
 * Name of the kind of key with this AlgorithmIdentifier, as in {@link otherKindOfKey}.
 * @param algorithm its content in DER, which is no secret
 */
export function nameKind(algorithm: Buffer): string | undefined {
  if (startsWith(algorithm, EC_PUBLIC_KEY)) return nameCurve(algorithm.subarray(EC_PUBLIC_KEY.length));
  return KINDS_OF_ALGORITHM.find(([, oid]) => startsWith(algorithm, oid))?.[0];
}

/** Name of an elliptic curve by the DER of its OID; see {@link nameKind}. */
export function nameCurve(oid: Buffer): string | undefined {
  return KINDS_OF_CURVE.find(([, known]) => known.equals(oid))?.[0];
}

/**
 * The error of a key that is not of the required kind.
 * @param found kind of the key, undefined: unknown
 * @param required such as `secp256k1` or `RSA`
 */
export function otherKindOfKey(found: string | undefined, required: string): MalformedSecretError {
  if (found === required) {
    return new MalformedSecretError('its key has unusual parameters of its algorithm; export the key again');
  }
  const kind = found === undefined ? 'of another kind' : `for ${found}`;
  return new MalformedSecretError(`it has a key ${kind}, but one for ${required} is required`);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}
