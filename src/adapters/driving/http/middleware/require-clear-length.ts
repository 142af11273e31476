import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { malformed } from '../http-refusal.ts';
import { refuseAndClose } from './refuse-and-close.ts';

const REFUSAL = malformed('', 'must say in one way where its body ends: Content-Length, or Transfer-Encoding: chunked');

/**
 * Refuses a request whose end two readers may see in two places, and whatever comes after it on the connection: a proxy before this service could take for one request what are two here (RFC 9112 §6.1, §11.2). Node
 * itself refuses most of them, but not a `Transfer-Encoding` that names no coding, codings before `chunked`, or that of a request of HTTP/1.0, which has no chunks.
 */
export const requireClearLength: RequestHandler = refuseAndClose(isClear, REFUSAL);

function isClear({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return true;
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined;
}
