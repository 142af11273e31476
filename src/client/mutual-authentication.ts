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
import type { AuthenticationOptions } from './authentication-options.ts';
import { decodeText } from './byte-text.ts';
import { isEd25519Signature, openPrivateKey, readPublicKey } from './ed25519-keys.ts';
import { readGiven } from './given-text.ts';
import type { UntrustedReason } from './untrusted-answer-error.ts';

const NONCE_BYTES = 16;

/** What of a request is signed. */
export interface SignedRequest {
  readonly method: string;
  /** Path with query, as in the request line. */
  readonly target: string;
  readonly body: Buffer;
}

/** What of an answer is signed. */
export interface SignedAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** Value of `Signing-Response-Auth`; undefined where there is none. */
  readonly header: string | undefined;
}

/** What went with one request, and what the answer to it is held against. */
export interface RequestProof {
  /** Value of `Signing-Request-Auth`. */
  readonly header: string;
  /** Why the answer is not believed; null when it is. */
  readonly faultOf: (answer: SignedAnswer) => UntrustedReason | null;
}

/** Signs requests as the specification's messages want it, and looks at the answers. */
export class MutualAuthentication {
  readonly #key: KeyObject;
  readonly #token: Buffer;
  readonly #serviceKey: Buffer;
  readonly #authorities: readonly Buffer[];

  /** A TypeError says which of the options is not what it should be. */
  constructor({ privateKey, token, serviceKey, authorityKeys }: AuthenticationOptions) {
    this.#key = openPrivateKey(readGiven(privateKey));
    this.#token = tokenOf(readGiven(token).trim(), this.#key);
    this.#serviceKey = keyOf(serviceKey, 'serviceKey');
    this.#authorities = authorityKeys.map((key) => keyOf(key, 'authorityKeys'));
    if (this.#authorities.length === 0) throw new TypeError('authentication.authorityKeys names no authority.');
  }

  /** Signs one request; each time it is sent anew, since nonce and time are used up. */
  prove({ method, target, body }: SignedRequest): RequestProof {
    const nonce = randomBytes(NONCE_BYTES);
    const time = Date.now() / 1000;
    const claims = encodeRequestClaims({ token: this.#token, servicePublicKey: this.#serviceKey, time, nonce });
    const parts = [claims, Buffer.from(method), Buffer.from(target)].map(withLength);
    const content = Buffer.concat([domain('request'), ...parts, sha256(body)]);
    const message = encodeRequestAuthInfo(claims, sign(null, content, this.#key));
    return {
      header: message.toString('base64'),
      faultOf: (answer) => this.#faultOf(answer, message, nonce),
    };
  }

  #faultOf({ status, body, header }: SignedAnswer, message: Buffer, nonce: Buffer): UntrustedReason | null {
    if (header === undefined) return 'UNSIGNED';
    const bytes = decodeText(header, 'base64');
    const info = bytes === null ? null : decodeResponseAuthInfo(bytes);
    const token = info === null ? null : decodeToken(info.token);
    if (info === null || token === null) return 'MALFORMED';
    const fault = this.#tokenFault(token);
    if (fault !== null) return fault;
    if (!info.nonce.equals(nonce)) return 'WRONG_NONCE';
    const claims = withLength(encodeResponseClaims(info));
    const content = Buffer.concat([domain('response'), claims, sha256(message), uint32(status), sha256(body)]);
    return isEd25519Signature(this.#serviceKey, content, info.signature) ? null : 'INVALID_SIGNATURE';
  }

  #tokenFault(token: AccessToken): UntrustedReason | null {
    const content = Buffer.concat([domain('access-token'), encodeTokenClaims(token)]);
    const isKnown = this.#authorities.some((key) => isEd25519Signature(key, content, token.signature));
    if (!isKnown) return 'UNKNOWN_AUTHORITY';
    if (!token.publicKey.equals(this.#serviceKey)) return 'WRONG_SERVICE';
    // What is no time is over, too.
    return Date.now() < Date.parse(token.expirationTime.toString('latin1')) ? null : 'TOKEN_EXPIRED';
  }
}

function tokenOf(text: string, key: KeyObject): Buffer {
  const bytes = decodeText(text, 'base64');
  const token = bytes === null ? null : decodeToken(bytes);
  if (bytes === null || token === null) throw new TypeError('authentication.token is no access token in base64.');
  const own = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
  if (token.publicKey.equals(own)) return bytes;
  throw new TypeError('authentication.token is for another key than authentication.privateKey.');
}

function keyOf(text: string, option: string): Buffer {
  const key = readPublicKey(text);
  if (key !== null) return key;
  throw new TypeError(`authentication.${option} is no Ed25519 public key in base58 or 64 hex digits.`);
}

function domain(kind: string): Buffer {
  return Buffer.from(`signing-service/v1/${kind}\0`);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
