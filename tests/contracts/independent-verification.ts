import { createHash, createPublicKey, verify } from 'node:crypto';
import { keccak256 } from 'ethers/crypto';
import { verifyMessage } from 'ethers/hash';
import { computeAddress, recoverAddress } from 'ethers/transaction';
import { ALGORITHM_ROWS, type SignatureScheme } from '../../src/domain/model/algorithm.ts';
import type { SignedResult } from '../../src/domain/model/sign-request.ts';
import { bs58 } from '../harness/base58.ts';
import { signatureBytes } from './signature-bytes.ts';
import { isStarkSignature } from './stark-verification.ts';

/** Verifies an Ed25519 signature of a base58 public key with OpenSSL. */
export function isEd25519Signature(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const x = Buffer.from(bs58.decode(publicKey)).toString('base64url');
  return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
}

/**
 * Verifies r‖s of a base64 SubjectPublicKeyInfo over P-256 and SHA-256 with OpenSSL, from the
 * point's coordinates.
 */
export function isEs256Signature(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const point = Buffer.from(publicKey, 'base64').subarray(-64);
  const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((bytes) => bytes.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: `${x}`, y: `${y}` }, format: 'jwk' });
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** Verifies r‖s‖v of a 0x-hex public key over a `personal_sign` message with ethers. */
export function isPersonalSignature(publicKey: string, message: Uint8Array, signature: Buffer): boolean {
  return verifyMessage(message, `0x${signature.toString('hex')}`) === computeAddress(publicKey);
}

/** Verifies r‖s‖v of a 0x-hex public key over the Keccak-256 of encoded typed data with ethers. */
export function isTypedDataSignature(publicKey: string, message: Uint8Array, signature: Buffer): boolean {
  return recoverAddress(keccak256(message), `0x${signature.toString('hex')}`) === computeAddress(publicKey);
}

/** Verifies RSASSA-PKCS1-v1_5 with SHA-256 of a base64 SubjectPublicKeyInfo with OpenSSL. */
export function isRsaSignature(publicKey: string, message: Uint8Array, signature: Uint8Array): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
  return verify('sha256', message, key, signature);
}

/** SubjectPublicKeyInfo of secp256k1 before a compressed point (RFC 5480, SEC 2 §2.4.1). */
const SPKI_PREFIX = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

/** Verifies r‖s of a base64 compressed public key over the SHA-256 of a message with OpenSSL. */
export function isCosmosSignature(publicKey: string, message: Uint8Array, signature: Buffer): boolean {
  const spki = Buffer.concat([SPKI_PREFIX, Buffer.from(publicKey, 'base64')]);
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/** The hash function of an HMAC algorithm, as node:crypto names it. */
export function hashOfMac(algorithm: string): string {
  return algorithm.slice('hmac-'.length);
}

/**
 * HMAC by RFC 2104 §2 from the hash function alone; its blocks have 64 or 128 bytes (FIPS 180-4
 * §1).
 */
export function hmacOf(algorithm: string, secret: Uint8Array, message: Uint8Array): Buffer {
  const hash = hashOfMac(algorithm);
  const digest = (...parts: readonly Uint8Array[]) => createHash(hash).update(Buffer.concat(parts)).digest();
  const block = Buffer.alloc(hash === 'sha256' ? 64 : 128);
  block.set(secret.length > block.length ? digest(secret) : secret);
  const pad = (byte: number) => block.map((keyByte) => keyByte ^ byte);
  return digest(pad(0x5c), digest(pad(0x36), message));
}

type Verify = (publicKey: string, message: Uint8Array, signature: Buffer) => boolean;

const VERIFIERS: { readonly [Scheme in Exclude<SignatureScheme, 'hmac'>]: Verify } = {
  ed25519: isEd25519Signature,
  'personal-message': isPersonalSignature,
  'typed-data': isTypedDataSignature,
  'hyperliquid-l1': isTypedDataSignature,
  'sign-doc': isCosmosSignature,
  starknet: isStarkSignature,
  rsa: isRsaSignature,
  es256: isEs256Signature,
};

/**
 * Verifies a signature over `message` with OpenSSL or ethers, an HMAC with the private key.
 * @param privateKey for HMAC only
 */
export function isValidSignature(
  {
    signature,
    algorithm,
    encoding,
    publicKey,
  }: Pick<SignedResult, 'signature' | 'algorithm' | 'encoding' | 'publicKey'>,
  message: Uint8Array,
  privateKey?: Uint8Array,
): boolean {
  if (encoding === 'jws-compact') throw new Error('Tokens are verified by their parts.');
  const bytes = signatureBytes(signature, encoding);
  const { scheme } = ALGORITHM_ROWS[algorithm];
  if (scheme !== 'hmac') return VERIFIERS[scheme](publicKey, message, bytes);
  if (privateKey === undefined) throw new Error('An HMAC is checked with its secret.');
  return hmacOf(algorithm, privateKey, message).equals(bytes);
}
