import type { Server } from 'node:net';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { noticesTogether } from '../notices-together.ts';

const WARNING =
  'Connections were closed as they opened, since as many as the service takes are open. See that clients and proxies keep fewer open (a pool for each, not a connection for each request), or add a replica.';

/**
 * Says in the service log that connections are dropped beyond `server.maxConnections`: the first at once, those that follow together, with their number, at most once a minute. Whoever asks for health
 * is dropped as well, so that nothing else tells.
 */
export function warnOfDroppedConnections(
  server: Pick<Server, 'on' | 'maxConnections'>,
  log: Pick<ServiceLog, 'warn'>,
  intervalMs?: number,
): void {
  const { maxConnections } = server;
  server.on(
    'drop',
    noticesTogether((dropped) => log.warn(WARNING, { dropped, maxConnections }), intervalMs),
  );
}
