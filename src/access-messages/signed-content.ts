import { Buffer } from 'node:buffer';
import type { TokenClaims } from '../domain/model/access-token.ts';
import { encodeTokenClaims } from './access-token-message.ts';
import { encodeRequestClaims, type RequestClaims } from './request-message.ts';
import { encodeResponseClaims, type ResponseClaims } from './response-message.ts';

/** What each kind of signed bytes begins with, so that a signature of one kind is never one of another. */
const DOMAINS = {
  token: Buffer.from('signing-service/v1/access-token\0'),
  request: Buffer.from('signing-service/v1/request\0'),
  response: Buffer.from('signing-service/v1/response\0'),
} as const;

/** A request as it is sent. */
export interface SentRequest {
  /** As in the request line: `POST`. */
  readonly method: string;
  /** As in the request line, query included: `/api/v1/accounts?platform=alpha`. */
  readonly target: string;
  /** SHA-256 of the body as sent; of nothing where there is none. */
  readonly bodyDigest: Uint8Array;
}

/** An answer as it is sent. */
export interface SentResponse {
  /** HTTP status. */
  readonly status: number;
  /** SHA-256 of the body as sent; of nothing where there is none, as for HEAD. */
  readonly bodyDigest: Uint8Array;
}

/** The bytes that an authority signs: its domain, then fields 1 to 3 of the token. */
export function tokenContent(claims: TokenClaims): Uint8Array {
  return Buffer.concat([DOMAINS.token, encodeTokenClaims(claims)]);
}

/** The bytes that a client signs: its domain; fields 1 to 4, the method and the path, each after its length; the digest of the body. */
export function requestContent(claims: RequestClaims, { method, target, bodyDigest }: SentRequest): Uint8Array {
  return Buffer.concat([
    DOMAINS.request,
    ...withLength(encodeRequestClaims(claims)),
    // Node reads request lines as Latin-1, byte for byte.
    ...withLength(Buffer.from(method, 'latin1')),
    ...withLength(Buffer.from(target, 'latin1')),
    bodyDigest,
  ]);
}

/**
 * The bytes that the service signs: its domain; fields 1 and 2 after their length; the digest of the request's message, status, and the digest of the body.
 * @param requestDigest SHA-256 of the RequestAuthInfo as sent. With the nonce alone, whoever has a token could send a request of his own under the nonce of another, and pass on the answer.
 */
export function responseContent(
  claims: ResponseClaims,
  requestDigest: Uint8Array,
  { status, bodyDigest }: SentResponse,
): Uint8Array {
  return Buffer.concat([
    DOMAINS.response,
    ...withLength(encodeResponseClaims(claims)),
    requestDigest,
    uint32(status),
    bodyDigest,
  ]);
}

function withLength(bytes: Uint8Array): readonly Uint8Array[] {
  return [uint32(bytes.length), bytes];
}

/** Four bytes, the highest first. */
function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
