import { UnsuitableRsaKeyError, validateRsaPrivateKey } from '../vault/rsa-private-key.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { DER_TAG, DerReader } from './der.ts';
import { nameKind, otherKindOfKey } from './key-kinds.ts';
import { withPemBlock } from './pem.ts';
import { MalformedSecretError } from './secret-text.ts';

/** AlgorithmIdentifier: rsaEncryption, OID 1.2.840.113549.1.1.1, and NULL (RFC 8017 §A.1). */
const RSA_ALGORITHM = Buffer.from('06092a864886f70d0101010500', 'hex');

/**
 * Decodes the DER of a PEM private key, PKCS#8 or OpenSSL's `RSA PRIVATE KEY`.
 * @returns bytes written to `output`
 * @throws MalformedSecretError on other input, an encrypted key, or if `output` is too small
 */
export function decodeRsaPem(text: Buffer, output: Buffer): number {
  return withPemBlock(text, (label, der, rest) => {
    if (rest.length > 0) throw new MalformedSecretError('it has content after its PEM block; keep one key per file');
    if (label !== 'PRIVATE KEY' && label !== 'RSA PRIVATE KEY') throw otherKindOfKey('an elliptic curve', 'RSA');
    if (der.length > output.length) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
    return copySecret(der, output);
  });
}

/**
 * Removes PKCS#8 (RFC 5958 §2) around an RSA private key, in place, and validates the key.
 * @param der RSAPrivateKey (RFC 8017 §A.1.2), alone or in PKCS#8
 * @returns length of the RSAPrivateKey, which begins `der` afterwards
 * @throws MalformedSecretError on other input or an unsuitable key
 */
export function unwrapRsaKey(der: Buffer): number {
  const key = findRsaKey(der);
  try {
    validateRsaPrivateKey(key);
  } catch (error) {
    if (error instanceof UnsuitableRsaKeyError) throw new MalformedSecretError(error.message);
    throw error;
  }
  return copySecret(key, der);
}

function findRsaKey(der: Buffer): Buffer {
  const document = new DerReader(der);
  const content = new DerReader(document.read(DER_TAG.sequence));
  document.end();
  content.read(DER_TAG.integer);
  const algorithm = content.readOptional(DER_TAG.sequence);
  if (algorithm === undefined) return der;
  if (!algorithm.equals(RSA_ALGORITHM)) throw otherKindOfKey(nameKind(algorithm), 'RSA');
  const key = content.read(DER_TAG.octetString);
  content.readOptional(DER_TAG.context0);
  content.end();
  return key;
}
