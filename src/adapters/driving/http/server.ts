import {
  createServer as createHttpServer,
  IncomingMessage,
  type RequestListener,
  type ServerOptions,
  ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Express, Request, Response } from 'express';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { AppDependencies } from './app-dependencies.ts';
import { holdContinue } from './connections/expected-continue.ts';
import { answerProtocolFaults } from './connections/protocol-faults.ts';
import { ServedConnections } from './connections/served-connections.ts';
import { makeProtoHarmless } from './harmless-proto.ts';
import { MAX_HEADERS } from './middleware/entry-checks.ts';
import type { Server } from './server-type.ts';
import { Handshakes } from './tls/handshakes.ts';
import type { ServerTls } from './tls/server-tls.ts';
import { tellHandshakes } from './tls/tell-handshakes.ts';

/** Limits on how long a connection may take, milliseconds. */
const TIMES = {
  /** From the first byte of a request, or the opening of the connection, to the end of the headers. */
  headersTimeout: 10_000,
  /** From the first byte of a request to the end of its body. */
  requestTimeout: 30_000,
  /** How long a connection may stay open without a request: longer than the idle time of usual client pools and proxies, 60 seconds, so that it is they who close it, and never while they send a request. */
  keepAliveTimeout: 65_000,
  /** How often the first two are checked. */
  connectionsCheckingInterval: 1000,
};

/** How long a TLS handshake may take, milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Connections at once; more are closed as they open. Each takes a file descriptor. */
export const MAX_CONNECTIONS = 8192;

/** What a server takes of the application's. */
export type ServerDependencies = Pick<AppDependencies, 'tls' | 'networks' | 'metrics' | 'log'>;

/** Where to listen. */
export interface Listener {
  readonly host: string;
  /** TCP port; 0 lets the system choose one. */
  readonly port: number;
  /** Names of the settings that say so, for messages. */
  readonly settings?: { readonly host: string; readonly port: string };
}

const LISTENER_SETTINGS = { host: 'SIGNING_HOST', port: 'SIGNING_PORT' };

/**
 * A server for the application, not listening yet: HTTPS (TLS 1.2 or newer) when `tls` is given,
 * and told of what changes there from then on; HTTP otherwise. Faults below the application (a
 * broken request line, headers that are too large, timeouts) are answered in the envelope as well.
 */
export function createServer(app: Express, { tls, networks, metrics, log }: ServerDependencies): ServedConnections {
  makeProtoHarmless();
  const options = { ...TIMES, ...messageClasses(app), requireHostHeader: false };
  const server = tls === null ? createHttpServer(options) : createTlsServer(options, tls);
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  const connections = new ServedConnections(server, listenerOf(app), log);
  answerProtocolFaults(connections, { tls, networks, metrics });
  holdContinue(server);
  return connections;
}

/**
 * Express hands a request back, before any middleware sees it, whose target it can't read as a URL
 * (`http://[`). Nothing is at such a path, as at `/`: the request is refused there, behind all
 * checks.
 */
function listenerOf(app: Express): RequestListener {
  return (request, response) =>
    app(request as Request, response as Response, () => {
      request.url = '/';
      app(request, response);
    });
}

/** A client without a certificate that is taken is told so by the application, as whoever asks for health needs none. */
function createTlsServer(options: ServerOptions, { certificate, clients }: ServerTls): Server {
  const { cert, key } = certificate.current;
  const handshakes = new Handshakes({ cert, key, ...(clients !== null && { ca: clients.ca }) });
  const server = createHttpsServer({
    ...options,
    ...handshakes.options,
    ...(clients !== null && { requestCert: true, rejectUnauthorized: false }),
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  handshakes.servedBy(server);
  certificate.servedBy(handshakes);
  clients?.servedBy(handshakes);
  tellHandshakes(server, clients);
  return server;
}

/**
 * Opens the port. Resolves to the address that is listened on. @throws OperatorError that names the
 * setting to change.
 */
export function listen(server: Server, { host, port, settings = LISTENER_SETTINGS }: Listener): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new OperatorError(listenFault(error, { host, port, settings }), { cause: error }));
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.removeListener('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });
}

function listenFault({ code }: NodeJS.ErrnoException, { host, port, settings }: Required<Listener>): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use already. Set ${settings.port} to a free port, or stop what listens there.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port}. Set ${settings.port} to 1024 or higher.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EADDRNOTAVAIL') {
    return `${host} is no address of this machine. Set ${settings.host} to one, or to 0.0.0.0 for all.`;
  }
  return `Listening on ${host}, port ${port}, failed (${code ?? 'unknown error'}). Check ${settings.host} and ${settings.port}.`;
}

/**
 * Express gives each request and response its own prototype, and changing the prototype of a live object is its main cost. Objects that are
 * born with that prototype are left as they are.
 */
function messageClasses(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as typeof app.request;
  app.response = AppResponse.prototype as typeof app.response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
