import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from '../server-type.ts';

/** A request and its response. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Knows of each connection which requests on it still wait for their answers (RFC 9112 §9.3.2, pipelining), and speaks when it is its turn. */
export class OpenExchanges {
  /** The last on each connection, and before it those that were open when it came: of callers who don't pipeline, nearly all, one. Nothing is listened to for them. */
  readonly #latest = new WeakMap<Duplex, Exchange[]>();

  constructor(server: Server) {
    server.prependListener('request', (request, response) => this.#add(request.socket, { request, response }));
  }

  /**
   * Calls back when nothing else has an answer to come before: `answer` where one written then is the next that the peer waits for; `close` where a request whose body never came in whole has had its own already.
   * Of a connection that breaks meanwhile, `close` is called as well.
   */
  whenInTurn(socket: Duplex, answer: () => void, close: () => void): void {
    const last = this.#latest.get(socket)?.at(-1);
    const broken = last === undefined || last.request.complete ? undefined : last;
    const before = this.#open(socket)
      .filter((exchange) => exchange !== broken)
      .at(-1);
    whenClosed(before, () => {
      if (socket.destroyed) return close();
      if (broken?.response.headersSent !== true) return answer();
      return whenClosed(broken, close);
    });
  }

  /** Has answers that wait until their peer has read go on, on a connection that Node has let go of (CONNECT): until then Node tells them. */
  drainFrom(socket: Duplex): void {
    socket.on('drain', () => {
      const [first] = this.#open(socket);
      if (first !== undefined && !first.response.writableEnded) first.response.emit('drain');
    });
  }

  #open(socket: Duplex): readonly Exchange[] {
    return this.#latest.get(socket)?.filter(({ response }) => !response.closed) ?? [];
  }

  #add(socket: Duplex, exchange: Exchange): void {
    const latest = this.#latest.get(socket);
    if (latest === undefined) return void this.#latest.set(socket, [exchange]);
    // Answers are closed in their order.
    while (latest[0]?.response.closed === true) latest.shift();
    latest.push(exchange);
  }
}

function whenClosed(exchange: Exchange | undefined, then: () => void): void {
  if (exchange === undefined || exchange.response.closed) then();
  else exchange.response.once('close', then);
}
