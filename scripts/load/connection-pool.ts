import { HttpConnection, type HttpTarget } from './http-connection.ts';

/** Connections to one target. They stay open, and as many as allowed carry a request each at one time; who comes when all do waits for his turn. */
export class ConnectionPool {
  readonly #target: HttpTarget;
  readonly #most: number;
  readonly #free: HttpConnection[] = [];
  readonly #waiting: ((connection: HttpConnection) => void)[] = [];
  #made = 0;

  /** @param most connections at one time */
  constructor(target: HttpTarget, most: number) {
    this.#target = target;
    this.#most = most;
  }

  /** Lends a connection until what `use` returns is settled. */
  async lend<Result>(use: (connection: HttpConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#take();
    try {
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(connection);
      else next(connection);
    }
  }

  #take(): HttpConnection | Promise<HttpConnection> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#made >= this.#most) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#made += 1;
    return new HttpConnection(this.#target);
  }
}
