import { createECDH, createPrivateKey, createPublicKey, type KeyObject, type PrivateKeyInput } from 'node:crypto';
import { RSA_MODULUS_BITS } from '../domain/model/account.ts';
import type { KeyKind } from '../domain/model/algorithm.ts';
import { HelperProblem } from './helper-program.ts';

const KEY_BYTES = 32;
/** PKCS#8 of an Ed25519 key up to its 32 bytes (RFC 8410 §7). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
/**
 * The same of version 2 (RFC 5958), after the outer length: the key, attributes, and the public
 * key, as ring writes it. OpenSSL does not read it.
 */
const ED25519_VERSION_2 = Buffer.from('020101300506032b657004220420', 'hex');
const VERSION_OFFSET = 2;

const REQUIRED: { readonly [Kind in KeyKind]?: string } = {
  ed25519: 'Ed25519',
  secp256k1: 'secp256k1',
  p256: 'P-256',
  rsa: 'RSA',
};
/** Names of OpenSSL's types and curves. */
const NAMES: { readonly [name: string]: string } = {
  ...{ ed25519: 'Ed25519', secp256k1: 'secp256k1', prime256v1: 'P-256', rsa: 'RSA' },
  ...{ 'rsa-pss': 'RSA-PSS', x25519: 'X25519', ed448: 'Ed448', x448: 'X448', dsa: 'DSA' },
  ...{ secp384r1: 'P-384', secp521r1: 'P-521', secp224r1: 'P-224' },
};

/** What PEM blocks have that is often given as a private key. */
const MISTAKES: readonly (readonly [label: RegExp, problem: string])[] = [
  [/PUBLIC KEY$/, 'it has a public key, but a private key is required; give the file of the private key'],
  [/CERTIFICATE/, 'it has a certificate, but a private key is required; give the file of the private key'],
  [
    /^TENDERMINT PRIVATE KEY$/,
    'it is a key in the armor of Tendermint; export it as hex with `keys export NAME --unarmored-hex --unsafe`',
  ],
  [
    /^OPENSSH PRIVATE KEY$/,
    'it is a key of OpenSSH; convert a copy of an RSA or ECDSA key: ssh-keygen -p -m PKCS8 -f COPY; generate others with openssl genpkey',
  ],
];

/**
 * The private key in a text with one PEM block (RFC 7468) that has one: PKCS#8, encrypted or not,
 * SEC1, PKCS#1. Text around it, such as `Bag Attributes`, is ignored. A backslash and n count as a
 * line break, as in JSON.
 * @throws HelperProblem
 */
export function decodePem(text: string, kind: KeyKind, password: () => string): Uint8Array {
  const lines = text.replaceAll('\\n', '\n');
  const blocks = [...lines.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----/g)];
  const keys = blocks.filter(([, label = '']) => /^(?:ENCRYPTED |EC |RSA |DSA )?PRIVATE KEY$/.test(label));
  const [key, second] = keys;
  if (second !== undefined) throw new HelperProblem('it has several private keys; keep one per file');
  if (key === undefined) throw new HelperProblem(describeMistake(blocks.map(([, label = '']) => label)));
  const [, label = '', body = ''] = key;
  const content = body.split('\n').flatMap((line) => line.trim() || []);
  const headers = content.filter((line) => line.includes(':'));
  const digits = content.slice(headers.length);
  const der = Buffer.from(digits.join(''), 'base64');
  if (der.subarray(VERSION_OFFSET, VERSION_OFFSET + ED25519_VERSION_2.length).equals(ED25519_VERSION_2)) {
    return decodeVersion2(der, kind);
  }
  // OpenSSL wants no empty line but the one behind headers (RFC 1421 §4.4).
  const written = [`-----BEGIN ${label}-----`, ...headers, ...(headers.length > 0 ? [''] : []), ...digits];
  const pem = `${written.join('\n')}\n-----END ${label}-----\n`;
  const isEncrypted = label.startsWith('ENCRYPTED') || headers.some((line) => line.includes('ENCRYPTED'));
  return exportKey(parse({ key: pem }, isEncrypted ? password() : undefined), kind);
}

function describeMistake(labels: readonly string[]): string {
  const found = MISTAKES.find(([pattern]) => labels.some((label) => pattern.test(label)));
  return found?.[1] ?? 'it has no whole PEM block of a private key; export the key as PKCS#8 PEM';
}

/** The key of a JSON Web Key (RFC 7517). @throws HelperProblem */
export function decodeJwk(jwk: { readonly x?: unknown }, kind: KeyKind): Uint8Array {
  const key = parse({ key: jwk, format: 'jwk' } as unknown as PrivateKeyInput);
  // Node ignores it for Ed25519.
  if (kind === 'ed25519' && jwk.x !== key.export({ format: 'jwk' }).x) throw otherPublicKey();
  return exportKey(key, kind);
}

/** RSAPrivateKey in DER, from itself or from PKCS#8. @throws HelperProblem */
export function decodeRsaDer(der: Uint8Array): Buffer {
  const key = Buffer.from(der);
  try {
    return exportKey(createPrivateKey({ key, format: 'der', type: 'pkcs1' }), 'rsa');
  } catch (error) {
    if (error instanceof HelperProblem) throw error;
    return exportKey(parse({ key, format: 'der', type: 'pkcs8' }), 'rsa');
  }
}

/** The 32-byte public key of an Ed25519 seed of 32 bytes. */
export function publicKeyOfSeed(seed: Uint8Array): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([ED25519_PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x ?? '', 'base64url');
}

function parse(input: PrivateKeyInput, passphrase?: string): KeyObject {
  try {
    return createPrivateKey({ ...input, passphrase });
  } catch {
    // OpenSSL takes the byte order mark of a file for a part of the password.
    if (passphrase?.startsWith('\uFEFF')) return parse(input, passphrase.slice(1));
    if (passphrase !== undefined) throw new HelperProblem('its password is wrong, or its encryption is not supported');
    throw new HelperProblem('the key in it is malformed; export the key again');
  }
}

function decodeVersion2(der: Buffer, kind: KeyKind): Uint8Array {
  if (kind !== 'ed25519') throw otherKind('Ed25519', kind);
  const start = VERSION_OFFSET + ED25519_VERSION_2.length;
  const seed = der.subarray(start, start + KEY_BYTES);
  if (publicKeyOfSeed(seed).equals(der.subarray(-KEY_BYTES))) return seed;
  throw otherPublicKey();
}

function exportKey(key: KeyObject, kind: KeyKind): Buffer {
  const { asymmetricKeyType: type = '', asymmetricKeyDetails: details } = key;
  const name = NAMES[type === 'ec' ? (details?.namedCurve ?? '') : type];
  if (name === undefined || name !== REQUIRED[kind]) throw otherKind(name, kind);
  if (kind === 'rsa') {
    const { modulusLength: bits = 0 } = details ?? {};
    const { min, max } = RSA_MODULUS_BITS;
    if (bits >= min && bits <= max) return key.export({ format: 'der', type: 'pkcs1' });
    throw new HelperProblem(`it is an RSA key of ${bits} bits; ${min} to ${max} are required`);
  }
  const { d = '', x = '', y = '' } = key.export({ format: 'jwk' });
  const scalar = Buffer.from(d, 'base64url');
  if (kind === 'ed25519') return scalar;
  const curve = createECDH(details?.namedCurve ?? '');
  curve.setPrivateKey(scalar);
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  if (curve.getPublicKey().equals(point)) return scalar;
  throw otherPublicKey();
}

/** The problem of a file whose public key or address is not that of its private key. */
export function otherPublicKey(): HelperProblem {
  return new HelperProblem('the public key in it does not belong to the private key; export the key again');
}

function otherKind(found: string | undefined, kind: KeyKind): HelperProblem {
  const has = found === undefined ? 'of another kind' : `for ${found}`;
  return new HelperProblem(`it has a key ${has}, but one for ${REQUIRED[kind]} is required`);
}
