import {
  createServer as createHttpServer,
  type Server as HttpServer,
  IncomingMessage,
  type RequestListener,
  ServerResponse,
} from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Express, Request, Response } from 'express';
import { OperatorError } from '../../domain/model/errors.ts';
import type { AppDependencies } from './app.ts';
import { closeBehindUnreadBody } from './connections/close-connection.ts';
import { handleProtocolErrors } from './connections/protocol-errors.ts';
import { ServedConnections } from './connections/served-connections.ts';
import { MAX_HEADERS, TIMES } from './limits.ts';
import { createTlsServer } from './tls/tls-server.ts';

/** The part of the application's dependencies that a server uses. */
export type ServerDependencies = Pick<AppDependencies, 'tls' | 'metrics' | 'log'>;

/** Where to listen. */
export interface Listener {
  readonly host: string;
  /** TCP port; 0 for a free one. */
  readonly port: number;
  /** Names of the settings, for messages. */
  readonly settings?: { readonly host: string; readonly port: string };
}

const LISTENER_SETTINGS = { host: 'SIGNING_HOST', port: 'SIGNING_PORT' };

/**
 * An HTTPS server (TLS 1.2 or newer) with `tls`, else HTTP; not listening yet. Errors below the
 * application get the envelope too.
 */
export function createServer(app: Express, { tls, metrics, log }: ServerDependencies): ServedConnections {
  const options = { ...TIMES, ...messageClasses(app), requireHostHeader: false };
  const server = tls === null ? createHttpServer(options) : createTlsServer(options, tls);
  // Node hides further ones: one more shows that there are too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  const connections = new ServedConnections(server, createListener(app), log);
  const clients = tls?.clients;
  clients?.onReload(() => connections.closeWhere((socket) => clients.isEndedByReload(socket)));
  handleProtocolErrors(connections, { tls, metrics });
  return connections;
}

/**
 * Express passes on targets that are not URLs (`http://[`) before any middleware. Routed as `*`,
 * which no path matches (RFC 9112 §3.2.4), they meet all checks.
 */
function createListener(app: Express): RequestListener {
  return (request, response) =>
    app(request as Request, response as Response, () => {
      request.url = '*';
      app(request, response);
    });
}

/**
 * Opens the port and resolves to the bound address.
 * @throws OperatorError that names the setting to change
 */
export function listen(server: Server, { host, port, settings = LISTENER_SETTINGS }: Listener): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(new OperatorError(formatListenError(error, { host, port, settings }), { cause: error }));
    server.once('error', fail);
    server.listen({ host, port }, () => {
      server.removeListener('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });
}

function formatListenError({ code }: NodeJS.ErrnoException, { host, port, settings }: Required<Listener>): string {
  if (code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is already in use. Set ${settings.port} to a free port, or stop the other process.`;
  }
  if (code === 'EACCES') {
    return `Permission denied to listen on port ${port}. Set ${settings.port} to 1024 or higher.`;
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EADDRNOTAVAIL') {
    return `${host} is not an address of this machine. Set ${settings.host} to one, or to 0.0.0.0 for all.`;
  }
  return `Cannot listen on ${host}, port ${port} (${code ?? 'unknown error'}). Check ${settings.host} and ${settings.port}.`;
}

/**
 * Objects with the right prototype spare Express the change, its main cost for a request. Every
 * response of the application is one of these.
 */
function messageClasses(app: Express) {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    override writeHead(status: number, ...head: readonly unknown[]): this {
      closeBehindUnreadBody(this);
      return Reflect.apply(super.writeHead, this, [status, ...head]);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  app.request = AppRequest.prototype as typeof app.request;
  app.response = AppResponse.prototype as typeof app.response;
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** An HTTP or HTTPS server. */
export type Server = HttpServer | HttpsServer;
