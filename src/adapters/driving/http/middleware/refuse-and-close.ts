import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import { type HttpRefusal, headersTooLarge, malformed, otherHttpVersion } from '../http-refusal.ts';
import { isServedVersion } from '../http-version.ts';

/** Headers that a request may have. In memory, each takes some hundred bytes more than was sent. */
export const MAX_HEADERS = 128;

const UNCLEAR_LENGTH = malformed(
  '',
  'must say in one way where its body ends: Content-Length, or Transfer-Encoding: chunked',
);

/**
 * Refuses a request with as many headers as the server reads, and closes its connection. Releases
 * of Node before 22.23.2 and 24.18.1 hide those beyond `maxHeadersCount` from the application, and
 * their parser obeys them (CVE-2026-58044): Host, Origin or Transfer-Encoding may be among them.
 */
export const limitHeaders: RequestHandler = refuseAndClose(
  ({ rawHeaders }) => rawHeaders.length < 2 * MAX_HEADERS,
  headersTooLarge(),
);

/** Refuses requests of other versions than HTTP/1.1 and HTTP/1.0, and closes their connections. */
export const requireHttp1: RequestHandler = refuseAndClose(isServedVersion, otherHttpVersion());

/**
 * Refuses a request whose end two readers may see in two places, and closes its connection: a proxy
 * before this service could take for one request what are two here (RFC 9112 §6.1, §11.2). Node
 * itself refuses most of them, but not a `Transfer-Encoding` that names no coding, codings before
 * `chunked`, or that of a request of HTTP/1.0, which has no chunks.
 */
export const requireClearLength: RequestHandler = refuseAndClose(hasClearLength, UNCLEAR_LENGTH);

/** What follows on the connection is neither answered nor done. */
function refuseAndClose(isServed: (request: IncomingMessage) => boolean, refusal: HttpRefusal): RequestHandler {
  return (request, response, next) => {
    if (isServed(request)) return next();
    response.setHeader('Connection', 'close');
    answerRefusal(response, refusal);
  };
}

function hasClearLength({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return true;
  return httpVersion === '1.1' && coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined;
}
