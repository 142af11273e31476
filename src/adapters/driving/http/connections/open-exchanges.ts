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
  readonly #open = new WeakMap<Duplex, Set<Exchange>>();
  readonly #last = new WeakMap<Duplex, Exchange>();

  constructor(server: Server) {
    server.prependListener('request', (request, response) => this.#add(request.socket, { request, response }));
  }

  /**
   * Calls back when nothing else has an answer to come before: `answer` where one written then is the next that the peer waits for; `close` where a request whose body never came in whole has had its own already.
   * Of a connection that breaks meanwhile, `close` is called as well.
   */
  whenInTurn(socket: Duplex, answer: () => void, close: () => void): void {
    const open = [...(this.#open.get(socket) ?? [])];
    const last = this.#last.get(socket);
    const broken = last === undefined || last.request.complete ? undefined : last;
    const before = open.filter((exchange) => exchange !== broken).at(-1);
    whenClosed(before, () => {
      if (socket.destroyed) return close();
      if (broken?.response.headersSent !== true) return answer();
      return whenClosed(open.includes(broken) ? broken : undefined, close);
    });
  }

  /** Has answers that wait until their peer has read go on, on a connection that Node has let go of (CONNECT): until then Node tells them. */
  drainFrom(socket: Duplex): void {
    socket.on('drain', () => {
      const [first] = this.#open.get(socket) ?? [];
      if (first !== undefined && !first.response.writableEnded) first.response.emit('drain');
    });
  }

  #add(socket: Duplex, exchange: Exchange): void {
    const open = this.#open.get(socket) ?? new Set();
    this.#open.set(socket, open.add(exchange));
    this.#last.set(socket, exchange);
    exchange.response.once('close', () => open.delete(exchange));
  }
}

/** Answers are closed in their order. */
function whenClosed(exchange: Exchange | undefined, then: () => void): void {
  if (exchange === undefined) then();
  else exchange.response.once('close', then);
}
