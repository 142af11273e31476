import type { Server, Socket } from 'node:net';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { isAllowedPeer, type ServedNetworks } from '../callers/network-list.ts';

/** Peers outside the allowed networks may hold a quarter of all connections. */
const FOREIGN_SHARE = 1 / 4;

const DROPPED_WARNING =
  'New connections were closed because the maximum number of connections is open. Make clients and proxies reuse connections (one pool each, not one connection per request), or add a replica.';

const FOREIGN_WARNING =
  "Connections from outside the allowed networks were closed because such peers already hold a quarter of this port's connections. Block them at the firewall.";

/**
 * Logs connections dropped beyond `server.maxConnections`, also those of health checks, at most
 * once a minute.
 */
export function warnAboutDroppedConnections(server: Server, log: ServiceLog): void {
  const { maxConnections } = server;
  server.on('drop', () => {
    log.warn(DROPPED_WARNING, { maxConnections }, { topic: 'dropped connections', countAs: 'dropped' });
  });
}

/**
 * Limits connections of foreign networks, so that idle ones block nobody. Below the limit they get
 * a 403; above it they are closed and logged, at most once a minute.
 */
export function limitForeignConnections(server: Server, networks: ServedNetworks, log: ServiceLog): void {
  let open = 0;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (isAllowedPeer(remoteAddress, networks)) return;
    if (open >= server.maxConnections * FOREIGN_SHARE) {
      const facts = { lastAddress: remoteAddress ?? null };
      log.warn(FOREIGN_WARNING, facts, { topic: 'foreign connections', countAs: 'closed' });
      return void socket.destroy();
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
}
