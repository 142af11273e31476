import { isPublicKeyOfSeed } from '../vault/ed25519-key.ts';
import { isPointOfP256Key } from '../vault/p256-key.ts';
import { isPublicKeyOfScalar } from '../vault/secp256k1-key.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { DER_TAG, DerReader } from './der.ts';
import { EC_PUBLIC_KEY, nameCurve, nameKind, otherKindOfKey } from './key-kinds.ts';
import { type PemLabel, withPemBlock } from './pem.ts';
import { MalformedSecretError } from './secret-text.ts';

/** Curves of PEM private keys, all of 32 bytes. */
export type PemCurve = 'ed25519' | EcCurve;

/** Curves of ECPrivateKey (RFC 5915). */
type EcCurve = 'secp256k1' | 'p256';

const KEY_BYTES = 32;
const CURVE_NAMES: { readonly [Curve in PemCurve]: string } = {
  ed25519: 'Ed25519',
  secp256k1: 'secp256k1',
  p256: 'P-256',
};

/** AlgorithmIdentifier: OID 1.3.101.112, no parameters (RFC 8410 §3). */
const ED25519_ALGORITHM = Buffer.from('06032b6570', 'hex');
const EC_CURVES: readonly EcCurve[] = ['secp256k1', 'p256'];

/** Whether a point of 33 or 65 bytes belongs to a private key. */
const IS_POINT_OF: { readonly [Curve in EcCurve]: (point: Buffer, privateKey: Buffer) => boolean } = {
  secp256k1: isPublicKeyOfScalar,
  p256: isPointOfP256Key,
};

interface FoundKey {
  readonly curve: PemCurve;
  readonly privateKey: Buffer;
}

/**
 * Decodes a PEM private key, strict DER: PKCS#8 for Ed25519 (RFC 8410 §7), secp256k1 and P-256 (RFC
 * 5958 with RFC 5915), SEC1 for secp256k1 and P-256, as OpenSSL writes them. An included public key
 * must match.
 * @param curve required curve; undefined: any
 * @returns bytes written to `output`: 32
 * @throws MalformedSecretError on other input, encrypted keys or trailing bytes
 */
export function decodePkcs8(text: Buffer, output: Buffer, curve?: PemCurve): number {
  return withPemBlock(text, (label, der, rest) => {
    if (label !== 'EC PARAMETERS') return writeKey(label, der, rest, output, curve);
    const named = findCurve(der);
    if (named === undefined) throw otherCurve(nameCurve(der), curve);
    return withPemBlock(rest, (keyLabel, keyDer, keyRest) => {
      if (keyLabel !== 'EC PRIVATE KEY') throw new MalformedSecretError('no SEC1 key follows its EC parameters');
      const written = writeKey(keyLabel, keyDer, keyRest, output, curve);
      if (readSec1(keyDer, curve).curve !== named) throw otherParameters();
      return written;
    });
  });
}

function writeKey(label: PemLabel, der: Buffer, rest: Buffer, output: Buffer, curve: PemCurve | undefined): number {
  if (rest.length > 0) throw new MalformedSecretError('it has content after its PEM block; keep one key per file');
  if (label === 'RSA PRIVATE KEY') throw otherCurve('RSA', curve);
  const found = label === 'PRIVATE KEY' ? readPkcs8(der, curve) : readSec1(der, curve);
  if (curve !== undefined && found.curve !== curve) throw otherCurve(CURVE_NAMES[found.curve], curve);
  if (output.length < KEY_BYTES) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
  return copySecret(found.privateKey, output);
}

/** @param required curve, for messages */
function readPkcs8(der: Buffer, required: PemCurve | undefined): FoundKey {
  const document = new DerReader(der);
  const key = new DerReader(document.read(DER_TAG.sequence));
  document.end();
  const version = readVersion(key);
  const algorithm = key.read(DER_TAG.sequence);
  const privateKey = key.read(DER_TAG.octetString);
  key.readOptional(DER_TAG.context0);
  // RFC 5958 §2: version 1 (v2) has a public key, version 0 (v1) has none.
  const publicKey = version === 1 ? key.read(DER_TAG.primitive1) : undefined;
  key.end();
  if (algorithm.equals(ED25519_ALGORITHM)) return readEd25519(privateKey, publicKey);
  const curve = algorithm.subarray(0, EC_PUBLIC_KEY.length).equals(EC_PUBLIC_KEY)
    ? findCurve(algorithm.subarray(EC_PUBLIC_KEY.length))
    : undefined;
  if (curve === undefined) throw otherCurve(nameKind(algorithm), required);
  if (version !== 0) throw otherVersion();
  return readEcPrivateKey(privateKey, curve, required);
}

function readEd25519(octets: Buffer, publicKeyBits: Buffer | undefined): FoundKey {
  const reader = new DerReader(octets);
  const privateKey = exactKey(reader.read(DER_TAG.octetString));
  reader.end();
  if (publicKeyBits !== undefined) {
    const wholeBytes = publicKeyBits[0] === 0;
    if (!wholeBytes || !isPublicKeyOfSeed(publicKeyBits.subarray(1), privateKey)) {
      throw otherPublicKey();
    }
  }
  return { curve: 'ed25519', privateKey };
}

function readSec1(der: Buffer, required: PemCurve | undefined): FoundKey {
  return readEcPrivateKey(der, undefined, required);
}

function findCurve(oid: Buffer): EcCurve | undefined {
  const name = nameCurve(oid);
  return EC_CURVES.find((curve) => CURVE_NAMES[curve] === name);
}

/**
 * ECPrivateKey (RFC 5915 §3).
 * @param outer the curve that PKCS#8 names, and may repeat inside; undefined: it is named inside
 */
function readEcPrivateKey(der: Buffer, outer: EcCurve | undefined, required: PemCurve | undefined): FoundKey {
  const document = new DerReader(der);
  const key = new DerReader(document.read(DER_TAG.sequence));
  document.end();
  if (readVersion(key) !== 1) throw otherVersion();
  const privateKey = key.read(DER_TAG.octetString);
  const parameters = key.readOptional(DER_TAG.context0);
  const publicKey = key.readOptional(DER_TAG.context1);
  key.end();
  if (parameters === undefined && outer === undefined) {
    throw new MalformedSecretError('it does not name the curve of its key; export the key as PKCS#8 PEM');
  }
  const inner = parameters === undefined ? undefined : findCurve(parameters);
  const curve = outer ?? inner;
  if (curve === undefined) throw otherCurve(parameters && nameCurve(parameters), required);
  if (parameters !== undefined && inner !== curve) throw otherParameters();
  const scalar = exactKey(privateKey);
  if (publicKey !== undefined) checkEcPublicKey(publicKey, scalar, curve);
  return { curve, privateKey: scalar };
}

/** BIT STRING of a compressed or uncompressed point (SEC 1 §2.3.3). */
function checkEcPublicKey(content: Buffer, privateKey: Buffer, curve: EcCurve): void {
  const reader = new DerReader(content);
  const bits = reader.read(DER_TAG.bitString);
  reader.end();
  const point = bits.subarray(1);
  const uncompressed = point[0] === 4 && point.length === 1 + 2 * KEY_BYTES;
  const compressed = (point[0] === 2 || point[0] === 3) && point.length === 1 + KEY_BYTES;
  if (bits[0] !== 0 || !(uncompressed || compressed)) {
    throw new MalformedSecretError('the public key in it is malformed; export the key again');
  }
  if (!IS_POINT_OF[curve](point, privateKey)) throw otherPublicKey();
}

function readVersion(reader: DerReader): number {
  const content = reader.read(DER_TAG.integer);
  const version = content[0];
  if (content.length !== 1 || (version !== 0 && version !== 1)) throw otherVersion();
  return version;
}

function exactKey(bytes: Buffer): Buffer {
  if (bytes.length === KEY_BYTES) return bytes;
  throw new MalformedSecretError(`the private key in it does not have ${KEY_BYTES} bytes; export the key again`);
}

function otherPublicKey(): MalformedSecretError {
  return new MalformedSecretError('the public key in it does not belong to the private key; export the key again');
}

function otherVersion(): MalformedSecretError {
  return new MalformedSecretError('its key has a structure of an unknown version; export the key again');
}

function otherParameters(): MalformedSecretError {
  return new MalformedSecretError('it names two different curves for its key; export the key again');
}

function otherCurve(found: string | undefined, required: PemCurve | undefined): MalformedSecretError {
  return otherKindOfKey(found, required === undefined ? 'Ed25519, secp256k1 or P-256' : CURVE_NAMES[required]);
}
