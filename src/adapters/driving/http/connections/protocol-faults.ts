import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AppDependencies } from '../app-dependencies.ts';
import { errorText, isAnswerDecided, JSON_CONTENT_TYPE, noteRefusal } from '../envelope.ts';
import {
  type HttpRefusal,
  headersTooLarge,
  malformed,
  notFound,
  otherHttpVersion,
  requestTimeout,
  requestTooLarge,
  STATUS_OF_CODE,
} from '../http-refusal.ts';
import { isServedVersion } from '../middleware/entry-checks.ts';
import { countedFault } from '../middleware/measure-requests.ts';
import { identifyResponse, responseHeaders } from '../middleware/response-headers.ts';
import { isServedPeer } from '../networks/served-networks.ts';
import { MAX_BODY_BYTES } from '../overload/body-budget.ts';
import type { ServedConnections } from './served-connections.ts';

/** How long a peer has to read the answer before the connection is cut, milliseconds. */
const LINGER_MS = 1000;

/**
 * Answers in the envelope what Node refuses before the application sees it, behind the responses to
 * all that came before it, and then closes the connection; that of a peer outside the networks that
 * are served is closed without a response. These responses have the headers of all others, and are
 * counted.
 */
export function answerProtocolFaults(
  connections: ServedConnections,
  { tls, networks, metrics }: Pick<AppDependencies, 'tls' | 'networks' | 'metrics'>,
): void {
  const { server } = connections;
  const setHeaders = responseHeaders(tls !== null);
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Socket, refusal: HttpRefusal) => {
    // Of bytes that come later, Node tells again.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!isServedPeer(socket.remoteAddress, networks)) return void socket.destroy();
    const startedAt = performance.now();
    const answer = (incomplete: ServerResponse | undefined) => {
      // The answer before this one was to be the last: the connection ends with it.
      if (!socket.writable) return;
      const response = new ServerResponse(new IncomingMessage(socket));
      setHeaders(response.req, response, () => undefined);
      const correlationId = incomplete?.getHeader('X-Request-Id');
      identifyResponse(response, String(correlationId ?? randomUUID()));
      writeRefusal(socket, response, refusal);
      // A request that has its id is counted, and logged, once its own response is closed.
      if (incomplete !== undefined && correlationId !== undefined) return noteRefusal(incomplete, refusal);
      const durationMs = performance.now() - startedAt;
      const status = STATUS_OF_CODE[refusal.code];
      metrics.answered({ method: '', route: null, status, fault: countedFault(refusal), durationMs });
    };
    connections.whenAnswered(socket, (incomplete) => {
      // A request may be refused before its body has come: on record first, then by its response.
      if (incomplete === undefined || !isAnswerDecided(incomplete)) return answer(incomplete);
      if (incomplete.closed) return endAfterReading(socket);
      if (!incomplete.headersSent) incomplete.setHeader('Connection', 'close');
      incomplete.once('close', () => endAfterReading(socket));
    });
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (isAfterTheLast(error)) return;
    const refusal = refusalOf(error);
    if (refusal === undefined) socket.destroy();
    else if (refusal.code === 'REQUEST_TIMEOUT') refuse(socket as Socket, refusal);
    // The request with the fault was handed on in this very turn, and may be refused by itself.
    else setImmediate(() => refuse(socket as Socket, refusal));
  });
  server.on('connect', (request, socket) => {
    // Node has let go of the connection: nobody else hears that it broke, or tells a response that
    // it can go on.
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => connections.currentOf(socket)?.emit('drain'));
    refuse(socket as Socket, isServedVersion(request) ? notFound() : otherHttpVersion());
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Bytes after a request that was to be the last on its connection are ignored (RFC 9112 §9.6): the connection ends with its answer. */
function isAfterTheLast({ code }: NodeJS.ErrnoException): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}

/** Undefined where there is no one to answer: a failed TLS handshake, a connection that broke. */
function refusalOf({ code = '' }: NodeJS.ErrnoException): HttpRefusal | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return requestTooLarge(MAX_BODY_BYTES);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout();
  if (code.startsWith('HPE_')) return malformed('', 'is no valid HTTP/1.1 request');
  return undefined;
}

/**
 * Writes a whole response to a socket that Node has no request for.
 * @param response has the headers, and is not sent itself
 */
function writeRefusal(socket: Duplex, response: ServerResponse, refusal: HttpRefusal): void {
  socket.on('error', () => socket.destroy());
  const status = STATUS_OF_CODE[refusal.code];
  const text = errorText(refusal);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(response.getHeaders()).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    `Content-Type: ${JSON_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  endAfterReading(socket);
}

/**
 * A connection that is cut while its peer still sends is reset, and the peer may lose what it did
 * not read yet.
 */
function endAfterReading(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
