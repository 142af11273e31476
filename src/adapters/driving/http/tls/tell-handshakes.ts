import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { peerOf } from '../connections/connection-peer.ts';
import type { ClientTrust } from './client-trust.ts';

/**
 * Has every connection shake hands once, and tells of it: a peer that asks for another handshake (TLS 1.2, RFC 5246 §7.4.1.1) is cut off, since it could show another certificate there.
 * @param clients is told what each connection showed, and when it was opened; null where nothing is asked for
 */
export function tellHandshakes(server: Pick<Server, 'on'>, clients: Pick<ClientTrust, 'opened' | 'now'> | null): void {
  server.on('secureConnection', (socket) => socket.disableRenegotiation());
  if (clients === null) return;
  const opened = new Map<string, { readonly socket: Socket; readonly at: number }>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    opened.set(peer, { socket, at: clients.now() });
    socket.once('close', () => {
      // A peer that broke off may have come back from the same port before this is noticed.
      if (opened.get(peer)?.socket === socket) opened.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    // One that is not known any more was opened at any time before.
    clients.opened(socket, opened.get(peerOf(socket))?.at ?? Number.NEGATIVE_INFINITY);
  });
}
