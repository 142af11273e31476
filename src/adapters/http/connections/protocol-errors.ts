import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { AppDependencies } from '../app.ts';
import { toFailureReason } from '../middleware/request-observer.ts';
import { malformed, refuseRequest } from '../refusals.ts';
import { breakBody } from '../request-body.ts';
import { responseHeaders, setCallHeaders } from '../response-headers.ts';
import { formatError, JSON_CONTENT_TYPE } from '../responses.ts';
import { closeGracefully } from './close-connection.ts';
import { announceClose, type ServedConnections } from './served-connections.ts';

/** Bytes after the last request of a connection, which are ignored (RFC 9112 §9.6). */
const AFTER_LAST_REQUEST = 'HPE_CLOSED_CONNECTION';

/**
 * Responds in the envelope to what Node rejects and closes the connection: at once if a body is
 * being read, else after all earlier responses. Sets the usual headers and counts it.
 */
export function handleProtocolErrors(
  connections: ServedConnections,
  { tls, metrics }: Pick<AppDependencies, 'tls' | 'metrics'>,
): void {
  const { server } = connections;
  const setHeaders = responseHeaders(tls !== null);
  const respond = (socket: Socket, refusal: Refusal) => {
    // The previous response may have closed the connection.
    if (!socket.writable) return;
    const response = new ServerResponse(new IncomingMessage(socket));
    setHeaders(response.req, response, () => undefined);
    setCallHeaders(response, randomUUID());
    writeRefusal(socket, response, refusal);
    const { status } = refusal.row;
    metrics.requestEnded({ method: '', route: null, status, failure: toFailureReason(refusal), durationMs: 0 });
  };
  const reject = (socket: Socket, refusal: Refusal) => {
    const last = connections.dropIncomplete(socket);
    if (last === undefined) return respond(socket, refusal);
    if (last.request.complete) return void last.response.once('close', () => respond(socket, refusal));
    announceClose(last);
    breakBody(last.request, refusal);
  };
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket;
    if (error.code === AFTER_LAST_REQUEST) return;
    const refusal = toRefusal(error);
    if (refusal === undefined) return void socket.destroy();
    // Node would report each later chunk again.
    if (refusal.code !== 'REQUEST_TIMEOUT') socket.pause();
    reject(socket, refusal);
  });
  server.on('connect', (_request, duplex) => {
    const socket = duplex as Socket;
    // Node has detached the socket.
    socket.on('error', () => socket.destroy());
    socket.on('drain', () => connections.getCurrentResponse(socket)?.emit('drain'));
    reject(socket, refuseRequest('NotFound'));
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
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
function writeRefusal(socket: Socket, response: ServerResponse, refusal: Refusal): void {
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
