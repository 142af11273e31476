import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Response } from 'express';

/** Response header that carries a ResponseAuthInfo. */
const RESPONSE_HEADER = 'Signing-Response-Auth';

/** Signs an answer of this status, whose body has this SHA-256; gives the value of the header. */
export type AnswerSigner = (status: number, bodyDigest: Buffer) => string;

/** From now on, the answer to this request is signed, whatever it is. */
export function signAnswerWith(response: Response, signer: AnswerSigner): void {
  response.locals['answerSigner'] = signer;
}

/** What signs the answer to this request; null where its caller is not known by a token, or is gone: then the service may have stopped, and its key with it. */
export function answerSignerOf(response: ServerResponse): AnswerSigner | null {
  if (response.destroyed) return null;
  return ((response as Response).locals?.['answerSigner'] as AnswerSigner | undefined) ?? null;
}

/** Sets the header, over the body as it goes out: none for HEAD. The status has to be set by then. */
export function signAnswer(response: ServerResponse, signer: AnswerSigner, texts: Iterable<string>): void {
  const hash = createHash('sha256');
  if (response.req.method !== 'HEAD') for (const text of texts) hash.update(text);
  response.setHeader(RESPONSE_HEADER, signer(response.statusCode, hash.digest()));
}
