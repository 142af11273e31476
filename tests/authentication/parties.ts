import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { bytesField, doubleField, readBytesFields, sha256, uint32, withLength } from './wire.ts';

/** An Ed25519 key pair of 32 equal seed bytes, by OpenSSL. */
export class TestKey {
  readonly seed: Buffer;
  readonly publicKey: Buffer;
  readonly #private: KeyObject;

  constructor(byte: number) {
    this.seed = Buffer.alloc(32, byte);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), this.seed]);
    this.#private = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#private).export({ format: 'der', type: 'spki' });
    this.publicKey = spki.subarray(-32);
  }

  sign(message: Uint8Array): Buffer {
    return sign(null, message, this.#private);
  }
}

/** Verifies by OpenSSL. */
export function isSignature(publicKey: Buffer, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

export interface TestToken {
  readonly username: string;
  readonly publicKey: Buffer;
  readonly expirationTime: string;
}

/** Fields 1 to 3 of a token. */
export function claimsBytes({ username, publicKey, expirationTime }: TestToken): Buffer {
  return Buffer.concat([bytesField(1, username), bytesField(2, publicKey), bytesField(3, expirationTime)]);
}

/** Bytes that an authority signs. */
export function tokenContent(token: TestToken): Buffer {
  return Buffer.concat([Buffer.from('signing-service/v1/access-token\0'), claimsBytes(token)]);
}

export function issueToken(authority: TestKey, token: TestToken): Buffer {
  return Buffer.concat([claimsBytes(token), bytesField(4, authority.sign(tokenContent(token)))]);
}

export interface TestRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string | Buffer;
}

export interface TestClaims {
  readonly token: Buffer;
  readonly servicePublicKey: Buffer;
  /** Seconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
  readonly nonce: Buffer;
}

/** Fields 1 to 4 of a RequestAuthInfo. */
export function requestFields({ token, servicePublicKey, time, nonce }: TestClaims): Buffer {
  return Buffer.concat([
    bytesField(1, token),
    bytesField(2, servicePublicKey),
    doubleField(3, time),
    bytesField(4, nonce),
  ]);
}

/** Bytes that a client signs. */
export function requestContent(claims: TestClaims, { method, target, body }: TestRequest): Buffer {
  return Buffer.concat([
    Buffer.from('signing-service/v1/request\0'),
    withLength(requestFields(claims)),
    withLength(method),
    withLength(target),
    sha256(body),
  ]);
}

export function signRequest(key: TestKey, claims: TestClaims, request: TestRequest): Buffer {
  return Buffer.concat([requestFields(claims), bytesField(5, key.sign(requestContent(claims, request)))]);
}

/** A response as received. */
export interface TestResponse {
  readonly status: number;
  readonly body: string | Buffer;
  /** Value of Signing-Response-Auth. */
  readonly header: string | undefined;
}

export interface TestTrust {
  readonly authority: Buffer;
  readonly servicePublicKey: Buffer;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** Bytes that the service signs: claims (fields 1 and 2), request message and response. */
export function getResponseContent(
  claims: Buffer,
  message: Buffer,
  { status, body }: Omit<TestResponse, 'header'>,
): Buffer {
  return Buffer.concat([
    Buffer.from('signing-service/v1/response\0'),
    withLength(claims),
    sha256(message),
    uint32(status),
    sha256(body),
  ]);
}

/** Why a client rejects a response; null if accepted. */
export function findResponseIssue(
  message: Buffer,
  nonce: Buffer,
  response: TestResponse,
  trust: TestTrust,
): string | null {
  if (response.header === undefined) return 'not signed';
  const fields = readBytesFields(Buffer.from(response.header, 'base64'));
  const [token, sentNonce, signature] = [1, 2, 3].map((number) => fields.get(number) ?? Buffer.alloc(0));
  if (token === undefined || sentNonce === undefined || signature === undefined) return 'no message';
  const claims = readBytesFields(token);
  const publicKey = claims.get(2) ?? Buffer.alloc(0);
  const expirationTime = String(claims.get(3));
  const signed = tokenContent({ username: String(claims.get(1)), publicKey, expirationTime });
  if (!isSignature(trust.authority, signed, claims.get(4) ?? Buffer.alloc(0))) return 'token of nobody';
  if (!publicKey.equals(trust.servicePublicKey)) return 'another service';
  if (trust.now >= Date.parse(expirationTime)) return 'expired';
  if (!sentNonce.equals(nonce)) return 'another nonce';
  const content = getResponseContent(
    Buffer.concat([bytesField(1, token), bytesField(2, sentNonce)]),
    message,
    response,
  );
  return isSignature(publicKey, content, signature) ? null : 'wrong signature';
}

export function newNonce(): Buffer {
  return randomBytes(16);
}
