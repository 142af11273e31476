import type { Server, Socket } from 'node:net';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { isServedPeer, type ServedNetworks } from '../networks/served-networks.ts';
import { noticesTogether } from '../notices-together.ts';

/**
 * Of all connections that a server takes, so many may be of peers that it does not serve: one in
 * four.
 */
const OUTSIDERS_ONE_IN = 4;

const DROPPED_WARNING =
  'Connections were closed as they opened, since as many as the service takes are open. See that clients and proxies keep fewer open (a pool for each, not a connection for each request), or add a replica.';

const OUTSIDERS_WARNING =
  "Connections from outside the allowed networks were closed because such peers already hold a quarter of this port's connections. Block them at the firewall.";

/**
 * Reports in the service log the connections that are dropped beyond `server.maxConnections`: the
 * first at once, those that follow together, with their number, at most once a minute. Health
 * checks are dropped as well, so that nothing else shows it.
 */
export function warnOfDroppedConnections(server: Server, log: ServiceLog, intervalMs?: number): void {
  const { maxConnections } = server;
  server.on(
    'drop',
    noticesTogether((dropped) => log.warn(DROPPED_WARNING, { dropped, maxConnections }), intervalMs),
  );
}

/**
 * Leaves three quarters of `server.maxConnections` to peers that are served: others that hold
 * connections open and send nothing would keep them out. Up to a quarter, others get a response
 * that says so. The service log reports those that get none, at most once a minute.
 */
export function keepOutsidersFew(server: Server, networks: ServedNetworks, log: ServiceLog): void {
  let held = 0;
  let lastAddress: string | null = null;
  const notice = noticesTogether((closed) => log.warn(OUTSIDERS_WARNING, { closed, lastAddress }));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (isServedPeer(remoteAddress, networks)) return;
    if (held >= server.maxConnections / OUTSIDERS_ONE_IN) {
      lastAddress = remoteAddress ?? null;
      notice();
      return void socket.destroy();
    }
    held += 1;
    socket.once('close', () => {
      held -= 1;
    });
  });
}
