import type { Express } from 'express';
import type { ServedConnections } from '../adapters/http/connections/served-connections.ts';
import { createServer, listen, type Server, type ServerDependencies } from '../adapters/http/server.ts';
import type { ListenerState } from '../domain/model/service-state.ts';

/** Maximum number of callers' connections; each takes a file descriptor. */
export const MAX_CONNECTIONS = 8192;

/**
 * Setting names for messages, and connection limits. Operators are few, and their connections use
 * the service's own share of descriptors.
 */
const LISTENERS = {
  main: { settings: { host: 'SIGNING_HOST', port: 'SIGNING_PORT' }, maxConnections: MAX_CONNECTIONS },
  admin: { settings: { host: 'SIGNING_ADMIN_HOST', port: 'SIGNING_ADMIN_PORT' }, maxConnections: 32 },
} as const;

const DROPPED_WARNING =
  'New connections were closed because the maximum number of connections is open. Make clients and proxies reuse connections (one pool each, not one connection per request), or add a replica.';

/** Counters of a listener. */
interface Watched {
  readonly listener: keyof typeof LISTENERS;
  readonly server: Server;
  dropped: number;
}

/** The ports of a service. */
export class Listeners {
  readonly #dependencies: ServerDependencies;
  readonly #connections: ServedConnections[] = [];
  readonly #watched: Watched[] = [];

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Opens a port; closes all if that fails.
   * @returns its address: `http://127.0.0.1:8080`
   * @throws OperatorError naming the setting to change
   */
  async open(
    app: Express,
    { host, port }: { readonly host: string; readonly port: number },
    which: keyof typeof LISTENERS,
  ): Promise<string> {
    const { settings, maxConnections } = LISTENERS[which];
    const { tls } = this.#dependencies;
    const connections = createServer(app, this.#dependencies);
    const { server } = connections;
    server.maxConnections = maxConnections;
    this.#connections.push(connections);
    this.#watch(which, server);
    try {
      const { address, port: taken } = await listen(server, { host, port, settings });
      return `${tls === null ? 'http' : 'https'}://${formatHost(address)}:${taken}`;
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  /** Open connections of each, in the order of opening. */
  state(): Promise<readonly ListenerState[]> {
    return Promise.all(
      this.#watched.map(async ({ listener, server, dropped }) => ({
        listener,
        dropped,
        open: await countConnections(server),
      })),
    );
  }

  /** As {@link ServedConnections.drain}. */
  drain(): void {
    for (const connections of this.#connections) connections.drain();
  }

  /** As {@link ServedConnections.stop}. */
  async stop(graceMs: number): Promise<boolean> {
    const inTime = await Promise.all(this.#connections.map((connections) => connections.stop(graceMs)));
    return inTime.every((ended) => ended);
  }

  #watch(listener: Watched['listener'], server: Server): void {
    const watched: Watched = { listener, server, dropped: 0 };
    // Also those of health checks.
    server.on('drop', () => {
      watched.dropped += 1;
      const { maxConnections } = server;
      this.#dependencies.log.warn(
        DROPPED_WARNING,
        { maxConnections },
        { topic: 'dropped connections', countAs: 'dropped' },
      );
    });
    this.#watched.push(watched);
  }
}

/** 0 if the server is closed. */
function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}

function formatHost(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
