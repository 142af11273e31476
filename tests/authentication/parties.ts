import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { bytesField, doubleField, readBytesFields, sha256, uint32, withLength } from './wire.ts';

/** An Ed25519 key pair of a seed of 32 equal bytes, by OpenSSL. */
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

/** Whether a signature is this public key's, by OpenSSL. */
export function isSignature(publicKey: Buffer, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

/** What a token says. */
export interface TestToken {
  readonly username: string;
  readonly publicKey: Buffer;
  readonly expirationTime: string;
}

/** Fields 1 to 3 of a token. */
export function claimsBytes({ username, publicKey, expirationTime }: TestToken): Buffer {
  return Buffer.concat([bytesField(1, username), bytesField(2, publicKey), bytesField(3, expirationTime)]);
}

/** What an authority signs. */
export function tokenContent(token: TestToken): Buffer {
  return Buffer.concat([Buffer.from('signing-service/v1/access-token\0'), claimsBytes(token)]);
}

/** A token that an authority signed. */
export function issueToken(authority: TestKey, token: TestToken): Buffer {
  return Buffer.concat([claimsBytes(token), bytesField(4, authority.sign(tokenContent(token)))]);
}

/** A request before it is sent. */
export interface TestRequest {
  readonly method: string;
  readonly target: string;
  readonly body: string | Buffer;
}

/** What a client says of itself with a request. */
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

/** What a client signs. */
export function requestContent(claims: TestClaims, { method, target, body }: TestRequest): Buffer {
  return Buffer.concat([
    Buffer.from('signing-service/v1/request\0'),
    withLength(requestFields(claims)),
    withLength(method),
    withLength(target),
    sha256(body),
  ]);
}

/** A RequestAuthInfo. */
export function signRequest(key: TestKey, claims: TestClaims, request: TestRequest): Buffer {
  return Buffer.concat([requestFields(claims), bytesField(5, key.sign(requestContent(claims, request)))]);
}

/** An answer as it came. */
export interface TestAnswer {
  readonly status: number;
  readonly body: string | Buffer;
  /** Value of Signing-Response-Auth. */
  readonly header: string | undefined;
}

/** What a client believes. */
export interface TestTrust {
  readonly authority: Buffer;
  readonly servicePublicKey: Buffer;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** What the service signs: its claims (fields 1 and 2), over the message of the request and the answer. */
export function answerContent(claims: Buffer, message: Buffer, { status, body }: Omit<TestAnswer, 'header'>): Buffer {
  return Buffer.concat([
    Buffer.from('signing-service/v1/response\0'),
    withLength(claims),
    sha256(message),
    uint32(status),
    sha256(body),
  ]);
}

/** Why a client does not believe an answer; null when it does. */
export function answerFault(message: Buffer, nonce: Buffer, answer: TestAnswer, trust: TestTrust): string | null {
  if (answer.header === undefined) return 'not signed';
  const fields = readBytesFields(Buffer.from(answer.header, 'base64'));
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
  const content = answerContent(Buffer.concat([bytesField(1, token), bytesField(2, sentNonce)]), message, answer);
  return isSignature(publicKey, content, signature) ? null : 'wrong signature';
}

/** A nonce that was never there. */
export function newNonce(): Buffer {
  return randomBytes(16);
}
