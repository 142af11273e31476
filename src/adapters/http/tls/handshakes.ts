import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { formatPeer } from '../connections/served-connections.ts';
import type { ClientTrust } from './client-trust.ts';
import type { SecureContextHolder } from './tls-certificate.ts';

/** Minimum version for all HTTPS servers. */
const TLS_VERSIONS = { minVersion: 'TLSv1.2' } as const satisfies SecureContextOptions;

/** TLS options of a server, whose parts change separately. */
export class Handshakes implements SecureContextHolder {
  #options: SecureContextOptions;
  #server: SecureContextHolder | null = null;

  constructor(options: SecureContextOptions) {
    this.#options = { ...TLS_VERSIONS, ...options };
  }

  get options(): SecureContextOptions {
    return this.#options;
  }

  /** Sets the server to notify of changes. */
  addServer(server: SecureContextHolder): void {
    this.#server = server;
  }

  /** Earlier sessions cannot be resumed after a change, since the server makes new ticket keys. */
  setSecureContext(changes: SecureContextOptions): void {
    const options = { ...this.#options, ...changes };
    this.#server?.setSecureContext(options);
    this.#options = options;
  }
}

/**
 * Disables renegotiation (TLS 1.2, RFC 5246 §7.4.1.1), which could present another certificate, and
 * reports handshakes.
 * @param clients gets the result and opening time of each handshake; null without client
 * certificates
 */
export function observeHandshakes(
  server: Pick<Server, 'on'>,
  clients: Pick<ClientTrust, 'opened' | 'now'> | null,
): void {
  server.on('secureConnection', (socket) => socket.disableRenegotiation());
  if (clients === null) return;
  const opened = new Map<string, { readonly socket: Socket; readonly at: number }>();
  server.on('connection', (socket: Socket) => {
    const peer = formatPeer(socket);
    opened.set(peer, { socket, at: clients.now() });
    socket.once('close', () => {
      // A new connection of the peer may use the port already.
      if (opened.get(peer)?.socket === socket) opened.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    // Treats an unknown connection as opened before any change.
    clients.opened(socket, opened.get(formatPeer(socket))?.at ?? Number.NEGATIVE_INFINITY);
  });
}
