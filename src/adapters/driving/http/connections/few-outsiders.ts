import type { Server, Socket } from 'node:net';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { isServedPeer, type ServedNetworks } from '../networks/served-networks.ts';
import { noticesTogether } from '../notices-together.ts';

/** Of all connections that a server takes, so many may be of peers that it does not serve: one in four. */
const ONE_IN = 4;

const WARNING =
  "Connections from outside the allowed networks were closed because such peers already hold a quarter of this port's connections. Block them at the firewall.";

/**
 * Leaves three quarters of `server.maxConnections` to those who are served: whoever else holds a connection open and sends nothing would keep them out. Up to a quarter, others are told that they are not served.
 * The service log tells of those that are not told, at most once a minute.
 */
export function keepOutsidersFew(
  server: Pick<Server, 'on' | 'maxConnections'>,
  networks: ServedNetworks,
  log: Pick<ServiceLog, 'warn'>,
): void {
  let held = 0;
  let lastAddress: string | null = null;
  const notice = noticesTogether((closed) => log.warn(WARNING, { closed, lastAddress }));
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (isServedPeer(remoteAddress, networks)) return;
    if (held >= server.maxConnections / ONE_IN) {
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
