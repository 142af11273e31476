import { type KeyObject, X509Certificate } from 'node:crypto';
import { type DerElement, readElements } from './der-elements.ts';

/** What a certificate path depends on, beside names, dates and signatures. */
export interface CertificateFacts {
  /** Basic constraints (RFC 5280 §4.2.1.9). */
  readonly isAuthority: boolean;
  /** Maximum number of intermediates below; null: no limit. */
  readonly pathLength: number | null;
  /** Bits of {@link KEY_USAGE}; null: any usage (RFC 5280 §4.2.1.3). */
  readonly keyUsage: number | null;
  /** Whether it may be used for TLS clients (RFC 5280 §4.2.1.12). */
  readonly permitsClients: boolean;
  readonly hasNameConstraints: boolean;
  readonly hasUnknownCriticalExtension: boolean;
  /** Whether its own signature has at least 112 bits of security (NIST SP 800-57 part 1 §5.6). */
  readonly isSignatureStrong: boolean;
  /** Whether its public key has at least 112 bits of security. */
  readonly isKeyStrong: boolean;
}

/** A certificate with its facts. */
export interface ReadCertificate {
  readonly x509: X509Certificate;
  readonly facts: CertificateFacts;
  readonly publicKey: KeyObject;
}

/** The first byte of KeyUsage (RFC 5280 §4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0x80, keyAgreement: 0x08, keyCertSign: 0x04 } as const;

/** DER tags (X.690 §8). */
const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  sequence: 0x30,
  version: 0xa0,
  extensions: 0xa3,
} as const;

/** Object identifiers of extensions (RFC 5280 §4.2), content in hex. */
const EXTENSION = {
  keyUsage: '551d0f',
  basicConstraints: '551d13',
  nameConstraints: '551d1e',
  extendedKeyUsage: '551d25',
  netscapeType: '6086480186f8420101',
} as const;

/** Extensions that may be critical: those that OpenSSL knows, without proxies and addresses. */
const KNOWN_EXTENSIONS: ReadonlySet<string> = new Set([
  ...Object.values(EXTENSION),
  // Alternative names, revocation lists, policies and their mappings and constraints.
  ...['551d11', '551d1f', '551d20', '551d21', '551d24', '551d36'],
]);

const CLIENT_AUTHENTICATION = '2b06010505070302';
const NETSCAPE_CLIENT = 0x80;
const TRUE = 0xff;

/** SHA-256, -384 and -512 with RSA (RFC 4055 §5) and ECDSA (RFC 5758 §3.2), EdDSA (RFC 8410 §3). */
const STRONG_SIGNATURES: ReadonlySet<string> = new Set([
  ...['2a864886f70d01010b', '2a864886f70d01010c', '2a864886f70d01010d'],
  ...['2a8648ce3d040302', '2a8648ce3d040303', '2a8648ce3d040304'],
  ...['2b6570', '2b6571'],
]);
const RSA_PSS = '2a864886f70d01010a';
/** SHA-256, -384 and -512 in parameters of RSA-PSS (RFC 4055 §2.1). */
const STRONG_HASHES = ['608648016503040201', '608648016503040202', '608648016503040203'] as const;

const MIN_RSA_BITS = 2048;
const MIN_CURVE_BITS = 224;

/**
 * Reads one DER certificate (RFC 5280 §4.1).
 * @returns null unless it is exactly one certificate in DER, with each extension once
 */
export function readCertificate(der: Buffer): ReadCertificate | null {
  try {
    const x509 = new X509Certificate(der);
    // Node also takes PEM, and ignores bytes after a certificate.
    if (!x509.raw.equals(der)) return null;
    const { publicKey } = x509;
    return { x509, publicKey, facts: { ...parseFacts(der), isKeyStrong: isStrongKey(publicKey) } };
  } catch {
    return null;
  }
}

/** @throws Error for another structure, which OpenSSL may still accept */
function parseFacts(der: Buffer): Omit<CertificateFacts, 'isKeyStrong'> {
  const [content] = readElements(unwrap(der, TAG.sequence));
  const fields = readElements(contentOf(content, TAG.sequence));
  // Version, which is optional, and serial number come before the algorithm.
  const algorithm = fields[fields[0]?.tag === TAG.version ? 2 : 1];
  const last = fields.at(-1);
  const { values, isAnyUnknown } = parseExtensions(last?.tag === TAG.extensions ? last.content : undefined);
  const constraints = values.get(EXTENSION.basicConstraints);
  return {
    ...(constraints === undefined ? { isAuthority: false, pathLength: null } : parseConstraints(constraints)),
    keyUsage: parseBits(values.get(EXTENSION.keyUsage)),
    permitsClients:
      permitsClientAuthentication(values.get(EXTENSION.extendedKeyUsage)) &&
      ((parseBits(values.get(EXTENSION.netscapeType)) ?? NETSCAPE_CLIENT) & NETSCAPE_CLIENT) !== 0,
    hasNameConstraints: values.has(EXTENSION.nameConstraints),
    hasUnknownCriticalExtension: isAnyUnknown,
    isSignatureStrong: isStrongSignature(contentOf(algorithm, TAG.sequence)),
  };
}

/** Values by object identifier. @throws RangeError on a repeated one (RFC 5280 §4.2) */
function parseExtensions(field: Buffer | undefined): {
  readonly values: ReadonlyMap<string, Buffer>;
  readonly isAnyUnknown: boolean;
} {
  const values = new Map<string, Buffer>();
  let isAnyUnknown = false;
  const extensions = field === undefined ? [] : readElements(unwrap(field, TAG.sequence));
  for (const extension of extensions) {
    const parts = readElements(contentOf(extension, TAG.sequence));
    const id = contentOf(parts[0], TAG.objectId).toString('hex');
    if (values.has(id)) throw new RangeError('An extension is repeated.');
    values.set(id, contentOf(parts.at(-1), TAG.octetString));
    // DER has no FALSE here, the default.
    if (parts.length > 2 && !KNOWN_EXTENSIONS.has(id)) isAnyUnknown = true;
  }
  return { values, isAnyUnknown };
}

function parseConstraints(value: Buffer): Pick<CertificateFacts, 'isAuthority' | 'pathLength'> {
  const fields = readElements(unwrap(value, TAG.sequence));
  const length = fields.find(({ tag }) => tag === TAG.integer)?.content;
  return {
    isAuthority: fields[0]?.tag === TAG.boolean && fields[0].content[0] === TRUE,
    pathLength: length === undefined ? null : length.readIntBE(0, length.length),
  };
}

/** The first byte of a BIT STRING, null without one. */
function parseBits(value: Buffer | undefined): number | null {
  if (value === undefined) return null;
  // Before the bits: how many of the last byte are unused.
  return unwrap(value, TAG.bitString)[1] ?? 0;
}

/** As for OpenSSL, any usage (2.5.29.37.0) is not enough. */
function permitsClientAuthentication(value: Buffer | undefined): boolean {
  if (value === undefined) return true;
  const ids = readElements(unwrap(value, TAG.sequence)).map((id) => contentOf(id, TAG.objectId).toString('hex'));
  return ids.includes(CLIENT_AUTHENTICATION);
}

function isStrongSignature(algorithm: Buffer): boolean {
  const id = contentOf(readElements(algorithm)[0], TAG.objectId).toString('hex');
  if (id === RSA_PSS) return STRONG_HASHES.some((hash) => algorithm.includes(Buffer.from(hash, 'hex')));
  return STRONG_SIGNATURES.has(id);
}

function isStrongKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'ed25519' || type === 'ed448') return true;
  if (type === 'rsa' || type === 'rsa-pss') return (details?.modulusLength ?? 0) >= MIN_RSA_BITS;
  // Names of curves contain their size: prime256v1, secp384r1.
  return type === 'ec' && Number(/\d{3}/.exec(details?.namedCurve ?? '')?.[0] ?? 0) >= MIN_CURVE_BITS;
}

/** The content of the only element. @throws RangeError */
function unwrap(bytes: Buffer, tag: number): Buffer {
  const [element, ...more] = readElements(bytes);
  if (more.length > 0) throw new RangeError('Only one element is expected.');
  return contentOf(element, tag);
}

/** @throws RangeError on another tag */
function contentOf(element: DerElement | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new RangeError('Another element is expected.');
  return element.content;
}
