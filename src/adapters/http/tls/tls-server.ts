import { constants } from 'node:crypto';
import type { ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import { type ClientTrust, HANDSHAKE_TIMEOUT_MS } from './client-trust.ts';
import type { TlsCertificate } from './tls-certificate.ts';

/**
 * One handshake a connection, in full: no renegotiation (TLS 1.2, RFC 5246 §7.4.1.1), which could
 * present another certificate, and no session to resume, which could outlive an authority: no
 * tickets, and Node keeps no sessions.
 */
const ONE_HANDSHAKE = {
  minVersion: 'TLSv1.2',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
} as const satisfies SecureContextOptions;

/** The TLS state of the servers. */
export interface ServerTls {
  readonly certificate: TlsCertificate;
  /** Null without client certificates. */
  readonly clients: ClientTrust | null;
}

/**
 * An HTTPS server. Reloaded files are for new connections. The application rejects clients without
 * a trusted certificate, since health needs none.
 */
export function createTlsServer(options: ServerOptions, { certificate, clients }: ServerTls): Server {
  const context = (): SecureContextOptions => {
    const { cert, key } = certificate.current;
    return { ...ONE_HANDSHAKE, cert, key, ...(clients !== null && { ca: clients.current.ca }) };
  };
  const server = createServer({
    ...options,
    ...context(),
    ...(clients !== null && { requestCert: true, rejectUnauthorized: false }),
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  });
  const renew = () => server.setSecureContext(context());
  certificate.onReload(renew);
  clients?.onReload(renew);
  server.on('secureConnection', (socket) => clients?.handshakeEnded(socket));
  return server;
}
