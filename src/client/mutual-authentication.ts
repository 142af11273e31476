import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import {
  type AccessToken,
  decodeResponseAuthInfo,
  decodeToken,
  encodeRequestAuthInfo,
  encodeRequestClaims,
  encodeResponseClaims,
  encodeTokenClaims,
} from './access-messages.ts';
import { isEd25519Signature, openPrivateKey, readPublicKey } from './ed25519.ts';
import { decodeText } from './encodings.ts';
import type { UntrustedReason } from './errors.ts';
import { type AuthenticationOptions, readSecretSource } from './options.ts';

const NONCE_BYTES = 16;

/** The signed parts of a request. */
export interface SignedRequest {
  readonly method: string;
  /** Path with query, as in the request line. */
  readonly target: string;
  readonly body: Buffer;
}

/** The signed parts of a response. */
export interface SignedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Value of `Signing-Response-Auth`, if any. */
  readonly header: string | undefined;
}

/** Authentication of one request and its response. */
export interface RequestCredentials {
  /** Value of `Signing-Request-Auth`. */
  readonly header: string;
  /** Returns why the response is not trusted; null if it is. */
  readonly verifyResponse: (response: SignedResponse) => UntrustedReason | null;
}

/** Signs requests and verifies responses (docs/callers/authentication.md). */
export class MutualAuthentication {
  readonly #key: KeyObject;
  readonly #token: Buffer;
  readonly #serviceKey: Buffer;
  readonly #authorities: readonly Buffer[];

  /** Throws a TypeError for an invalid option. */
  constructor({ privateKey, token, serviceKey, authorityKeys }: AuthenticationOptions) {
    this.#key = openPrivateKey(readSecretSource(privateKey));
    this.#token = readToken(readSecretSource(token).trim(), this.#key);
    this.#serviceKey = readKey(serviceKey, 'serviceKey');
    this.#authorities = authorityKeys.map((key) => readKey(key, 'authorityKeys'));
    if (this.#authorities.length === 0) throw new TypeError('authentication.authorityKeys is empty.');
  }

  /** Signs one request. Nonce and time are single-use. */
  signRequest({ method, target, body }: SignedRequest): RequestCredentials {
    const nonce = randomBytes(NONCE_BYTES);
    const time = Date.now() / 1000;
    const claims = encodeRequestClaims({ token: this.#token, servicePublicKey: this.#serviceKey, time, nonce });
    const parts = [claims, Buffer.from(method), Buffer.from(target)].map(lengthPrefixed);
    const content = Buffer.concat([domain('request'), ...parts, sha256(body)]);
    const message = encodeRequestAuthInfo(claims, sign(null, content, this.#key));
    return {
      header: message.toString('base64'),
      verifyResponse: (response) => this.#verifyResponse(response, message, nonce),
    };
  }

  #verifyResponse({ status, body, header }: SignedResponse, message: Buffer, nonce: Buffer): UntrustedReason | null {
    if (header === undefined) return 'UNSIGNED';
    const bytes = decodeText(header, 'base64');
    const info = bytes === null ? null : decodeResponseAuthInfo(bytes);
    const token = info === null ? null : decodeToken(info.token);
    if (info === null || token === null) return 'MALFORMED';
    const issue = this.#verifyToken(token);
    if (issue !== null) return issue;
    if (!info.nonce.equals(nonce)) return 'WRONG_NONCE';
    const claims = lengthPrefixed(encodeResponseClaims(info));
    const content = Buffer.concat([domain('response'), claims, sha256(message), uint32(status), sha256(body)]);
    return isEd25519Signature(this.#serviceKey, content, info.signature) ? null : 'INVALID_SIGNATURE';
  }

  #verifyToken(token: AccessToken): UntrustedReason | null {
    const content = Buffer.concat([domain('access-token'), encodeTokenClaims(token)]);
    const isTrusted = this.#authorities.some((key) => isEd25519Signature(key, content, token.signature));
    if (!isTrusted) return 'UNKNOWN_AUTHORITY';
    if (!token.publicKey.equals(this.#serviceKey)) return 'WRONG_SERVICE';
    // An invalid time compares as expired.
    return Date.now() < Date.parse(token.expirationTime.toString('latin1')) ? null : 'TOKEN_EXPIRED';
  }
}

function readToken(text: string, key: KeyObject): Buffer {
  const bytes = decodeText(text, 'base64');
  const token = bytes === null ? null : decodeToken(bytes);
  if (bytes === null || token === null) throw new TypeError('authentication.token must be an access token in base64.');
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  if (token.publicKey.equals(publicKey)) return bytes;
  throw new TypeError('authentication.token does not match authentication.privateKey.');
}

function readKey(text: string, option: string): Buffer {
  const key = readPublicKey(text);
  if (key !== null) return key;
  throw new TypeError(`authentication.${option} must be an Ed25519 public key in base58 or 64 hex digits.`);
}

function domain(kind: string): Buffer {
  return Buffer.from(`signing-service/v1/${kind}\0`);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function lengthPrefixed(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
