import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { RedisServer } from './redis-server.ts';

/**
 * A TCP proxy on a port of its own of 127.0.0.1, as operators put one in front of Redis: a
 * connection stays with the server that it was opened to.
 */
export class RedisProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target: RedisServer;

  private constructor(target: RedisServer) {
    this.#target = target;
    this.#server = createServer((client) => this.#forward(client));
  }

  static async start(target: RedisServer): Promise<RedisProxy> {
    const proxy = new RedisProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Opens later connections to this server. */
  leadTo(target: RedisServer): void {
    this.#target = target;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #forward(client: Socket): void {
    const server = connect(this.#target.port, '127.0.0.1');
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from
        .on('error', () => undefined)
        .on('close', () => {
          this.#sockets.delete(from);
          to.destroy();
        });
      from.pipe(to);
    }
  }
}
