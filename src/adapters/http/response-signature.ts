import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Response } from 'express';

/** Header with a ResponseAuthInfo. */
const RESPONSE_HEADER = 'Signing-Response-Auth';

/** Signs a status and the SHA-256 of a body; returns the header's value. */
export type ResponseSigner = (status: number, bodyDigest: Buffer) => string;

/** Makes the response to this request signed. */
export function signResponseWith(response: Response, signer: ResponseSigner): void {
  response.locals['responseSigner'] = signer;
}

/**
 * The signer of a response; null for anonymous callers and closed connections, since a stop wipes
 * the key.
 */
export function getResponseSigner(response: ServerResponse): ResponseSigner | null {
  if (response.destroyed) return null;
  return ((response as Response).locals?.['responseSigner'] as ResponseSigner | undefined) ?? null;
}

/**
 * Signs for an authenticated caller: sets the signature header over the sent body (empty for HEAD)
 * and the final status.
 */
export function signResponse(response: ServerResponse, chunks: Iterable<string | Buffer>): void {
  const signer = getResponseSigner(response);
  if (signer === null) return;
  const hash = createHash('sha256');
  if (response.req.method !== 'HEAD') for (const chunk of chunks) hash.update(chunk);
  response.setHeader(RESPONSE_HEADER, signer(response.statusCode, hash.digest()));
}
