import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import { malformed } from '../http-refusal.ts';

/**
 * Refuses a request whose end two readers may see in two places, and whatever comes after it on the connection: a proxy before this service could take for one request what are two here (RFC 9112 §6.1, §11.2). Node
 * itself refuses most of them, but not a `Transfer-Encoding` that names no coding, or codings before `chunked`.
 */
export function requireClearLength(): RequestHandler {
  const refused = new WeakSet<object>();
  return (request, response, next) => {
    const { socket } = request;
    // Node hands on what came in one piece with the request that was refused.
    if (refused.has(socket)) return void response.destroy();
    if (isClear(request)) return next();
    refused.add(socket);
    response.setHeader('Connection', 'close');
    answerRefusal(
      response,
      malformed('', 'must say in one way where its body ends: Content-Length, or Transfer-Encoding: chunked'),
    );
  };
}

function isClear({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding === undefined || (coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined);
}
