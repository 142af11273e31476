import type { Server } from 'node:net';
import type { ServiceLog } from '../../../ports/service-log.ts';

/** At most one line in so many milliseconds. */
const INTERVAL_MS = 60_000;

const WARNING =
  'Connections were closed as they opened, since as many as the service takes are open. See that clients and proxies keep fewer open (a pool for each, not a connection for each request), or add a replica.';

/**
 * Says in the service log that connections are dropped beyond `server.maxConnections`: the first at once, those that follow together, with their number, at most once a minute. Whoever asks for health
 * is dropped as well, so that nothing else tells.
 */
export function warnOfDroppedConnections(
  server: Pick<Server, 'on' | 'maxConnections'>,
  log: Pick<ServiceLog, 'warn'>,
  intervalMs = INTERVAL_MS,
): void {
  let dropped = 0;
  let isPausing = false;
  const tell = () => {
    isPausing = dropped > 0;
    if (!isPausing) return;
    log.warn(WARNING, { dropped, maxConnections: server.maxConnections });
    dropped = 0;
    setTimeout(tell, intervalMs).unref();
  };
  server.on('drop', () => {
    dropped += 1;
    if (!isPausing) tell();
  });
}
