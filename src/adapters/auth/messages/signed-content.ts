import { Buffer } from 'node:buffer';
import type { TokenClaims } from '../../../domain/model/authentication.ts';
import {
  encodeRequestClaims,
  encodeResponseClaims,
  encodeTokenClaims,
  type RequestClaims,
  type ResponseClaims,
} from './access-messages.ts';

/** Domain separation between kinds of signed bytes. */
const DOMAINS = {
  token: Buffer.from('signing-service/v1/access-token\0'),
  request: Buffer.from('signing-service/v1/request\0'),
  response: Buffer.from('signing-service/v1/response\0'),
} as const;

/** A request as sent. */
interface RequestDraft {
  /** As in the request line: `POST`. */
  readonly method: string;
  /** As in the request line, query included: `/api/v1/accounts?platform=alpha`. */
  readonly target: string;
  /** SHA-256 of the body as sent, also if empty. */
  readonly bodyDigest: Uint8Array;
}

/** A response as sent. */
interface SentResponse {
  /** HTTP status. */
  readonly status: number;
  /** SHA-256 of the body as sent, also if empty (HEAD). */
  readonly bodyDigest: Uint8Array;
}

/** Bytes that an authority signs: domain, fields 1 to 3 of the token. */
export function tokenContent(claims: TokenClaims): Uint8Array {
  return Buffer.concat([DOMAINS.token, encodeTokenClaims(claims)]);
}

/**
 * Bytes that a client signs: domain; length-prefixed fields 1 to 4, method and path; body digest.
 */
export function requestContent(claims: RequestClaims, { method, target, bodyDigest }: RequestDraft): Uint8Array {
  return Buffer.concat([
    DOMAINS.request,
    ...withLength(encodeRequestClaims(claims)),
    // Node reads request lines as Latin-1.
    ...withLength(Buffer.from(method, 'latin1')),
    ...withLength(Buffer.from(target, 'latin1')),
    bodyDigest,
  ]);
}

/**
 * Bytes that the service signs: domain; length-prefixed fields 1 and 2; request digest, status,
 * body digest.
 * @param requestDigest SHA-256 of the RequestAuthInfo as sent. The nonce alone would let another
 * token holder reuse a caller's nonce and relay the response.
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

/** Four bytes, big-endian. */
function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
