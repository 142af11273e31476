import type { Express } from 'express';
import { keepOutsidersFew, warnOfDroppedConnections } from '../adapters/driving/http/connections/connection-limits.ts';
import type { ServedConnections } from '../adapters/driving/http/connections/served-connections.ts';
import { createServer, listen, MAX_CONNECTIONS, type ServerDependencies } from '../adapters/driving/http/server.ts';
import type { Server } from '../adapters/driving/http/server-type.ts';
import type { ListenerState } from '../domain/model/service-state.ts';

/** What distinguishes the listeners: the names of their settings, for messages, and how many connections each takes. Operators are few, and their connections come out of the same descriptors as the service's own files. */
const LISTENERS = {
  main: { settings: { host: 'SIGNING_HOST', port: 'SIGNING_PORT' }, maxConnections: MAX_CONNECTIONS },
  admin: { settings: { host: 'SIGNING_ADMIN_HOST', port: 'SIGNING_ADMIN_PORT' }, maxConnections: 32 },
} as const;

/** What a listener is watched by. */
interface Watched {
  readonly listener: keyof typeof LISTENERS;
  readonly server: Server;
  dropped: number;
}

/** The ports on which a service listens; they begin one after the other and end together. */
export class Listeners {
  readonly #dependencies: ServerDependencies;
  readonly #served: ServedConnections[] = [];
  readonly #watched: Watched[] = [];

  constructor(dependencies: ServerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Opens a port for an application. Where that fails, those that are open are closed.
   * @returns where it listens: `http://127.0.0.1:8080`
   * @throws OperatorError that names the setting to change
   */
  async open(
    app: Express,
    { host, port }: { readonly host: string; readonly port: number },
    which: keyof typeof LISTENERS,
  ): Promise<string> {
    const { settings, maxConnections } = LISTENERS[which];
    const { tls, networks, log } = this.#dependencies;
    const connections = createServer(app, this.#dependencies);
    const { server } = connections;
    server.maxConnections = maxConnections;
    warnOfDroppedConnections(server, log);
    keepOutsidersFew(server, networks, log);
    this.#served.push(connections);
    this.#watch(which, server);
    try {
      const { address, port: taken } = await listen(server, { host, port, settings });
      return `${tls === null ? 'http' : 'https'}://${hostText(address)}:${taken}`;
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  /** How many connections each has now, in the order in which they were opened. */
  state(): Promise<readonly ListenerState[]> {
    return Promise.all(
      this.#watched.map(async ({ listener, server, dropped }) => ({ listener, dropped, open: await countOf(server) })),
    );
  }

  /** As {@link ServedConnections.endConnections}. */
  endConnections(): void {
    for (const connections of this.#served) connections.endConnections();
  }

  /** As {@link ServedConnections.stop}. */
  async stop(graceMs: number): Promise<boolean> {
    const inTime = await Promise.all(this.#served.map((connections) => connections.stop(graceMs)));
    return inTime.every((ended) => ended);
  }

  #watch(listener: Watched['listener'], server: Server): void {
    const watched: Watched = { listener, server, dropped: 0 };
    server.on('drop', () => {
      watched.dropped += 1;
    });
    this.#watched.push(watched);
  }
}

/** 0 of a server that is closed. */
function countOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
}

function hostText(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
