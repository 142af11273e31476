import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { AppDependencies } from '../app.ts';
import { isAllowedPeer } from '../callers/network-list.ts';
import { isServedVersion, OTHER_HTTP_VERSION } from '../middleware/entry-checks.ts';
import { toCountedIssue } from '../middleware/request-observer.ts';
import { malformed, refuseRequest } from '../refusals.ts';
import {
  formatError,
  isResponseDecided,
  JSON_CONTENT_TYPE,
  responseHeaders,
  setCallHeaders,
  storeRefusal,
} from '../responses.ts';
import { closeGracefully } from './close-connection.ts';
import type { ServedConnections } from './served-connections.ts';

/**
 * Responds in the envelope to what Node rejects, after all earlier responses, and closes the
 * connection. Sets the usual headers and counts it. Foreign networks get no response.
 */
export function handleProtocolErrors(
  connections: ServedConnections,
  { tls, networks, metrics }: Pick<AppDependencies, 'tls' | 'networks' | 'metrics'>,
): void {
  const { server } = connections;
  const setHeaders = responseHeaders(tls !== null);
  const refused = new WeakSet<Duplex>();
  const reject = (socket: Socket, refusal: Refusal) => {
    // Node reports each later chunk again: the first of them is the last to be read.
    if (refused.has(socket)) return void socket.pause();
    refused.add(socket);
    if (!isAllowedPeer(socket.remoteAddress, networks)) return void socket.destroy();
    const startedAt = performance.now();
    const respond = (incomplete: ServerResponse | undefined) => {
      // The previous response closes the connection.
      if (!socket.writable) return;
      const response = new ServerResponse(new IncomingMessage(socket));
      setHeaders(response.req, response, () => undefined);
      const correlationId = incomplete?.getHeader('X-Request-Id');
      setCallHeaders(response, String(correlationId ?? randomUUID()));
      writeRefusal(socket, response, refusal);
      // Counted and logged with its own response.
      if (incomplete !== undefined && correlationId !== undefined) return storeRefusal(incomplete, refusal);
      const durationMs = performance.now() - startedAt;
      const { status } = refusal.row;
      metrics.requestEnded({ method: '', route: null, status, failure: toCountedIssue(refusal), durationMs });
    };
    connections.onAllResponded(socket, (incomplete) => {
      // A refusal that waits for its record closes the connection itself.
      if (incomplete === undefined || !isResponseDecided(incomplete)) respond(incomplete);
    });
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (isAfterLastRequest(error)) return;
    const refusal = toRefusal(error);
    if (refusal === undefined) socket.destroy();
    else if (refusal.code === 'REQUEST_TIMEOUT') reject(socket as Socket, refusal);
    // The same tick may have emitted the request, and the application refuse it.
    else setImmediate(() => reject(socket as Socket, refusal));
  });
  server.on('connect', (request, socket) => {
    // Node has detached the socket.
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => connections.getCurrentResponse(socket)?.emit('drain'));
    reject(socket as Socket, isServedVersion(request) ? refuseRequest('NotFound') : OTHER_HTTP_VERSION);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Bytes after the last request of a connection are ignored (RFC 9112 §9.6). */
function isAfterLastRequest({ code }: NodeJS.ErrnoException): boolean {
  return code === 'HPE_CLOSED_CONNECTION';
}

/** Undefined if no response is possible: a failed TLS handshake, a broken connection. */
function toRefusal({ code = '' }: NodeJS.ErrnoException): Refusal | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') return refuseRequest('HeadersTooLarge');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return refuseRequest('RequestTooLarge');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return refuseRequest('RequestTimeout');
  if (code.startsWith('HPE_')) return malformed('', 'is not a valid HTTP/1.1 request');
  return undefined;
}

/**
 * Writes a complete response to a socket without a Node request.
 * @param response holds the headers only
 */
function writeRefusal(socket: Duplex, response: ServerResponse, refusal: Refusal): void {
  socket.on('error', () => socket.destroy());
  const { status } = refusal.row;
  const text = formatError(refusal);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...Object.entries(response.getHeaders()).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    `Content-Type: ${JSON_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  closeGracefully(socket);
}
