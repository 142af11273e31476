import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { HttpTarget } from '../load/http-connection.ts';
import { AnswerReader } from './answer-reader.ts';
import type { MadeRequest } from './request-texts.ts';

/** What a connection tells of. */
export interface ConnectionEvents {
  /** The answer to the last request is whole. */
  onAnswer(connection: CallerConnection): void;
  /** It can't be gone on with. */
  onFault(reason: string): void;
}

/** One connection to a service that stays open, for one request at a time. It costs a fifth of what HttpConnection does: a caller must not be what is measured. */
export class CallerConnection {
  readonly reader = new AnswerReader();
  readonly #socket: Socket;
  /** The last that was sent. */
  request: MadeRequest | null = null;
  /** `performance.now()` from which its time counts. */
  from = 0;
  /** Whether its answer is kept. */
  isKept = false;

  private constructor(socket: Socket, events: ConnectionEvents) {
    this.#socket = socket;
    socket.setNoDelay();
    socket.on('data', (chunk: Buffer) => {
      try {
        if (this.reader.add(chunk)) events.onAnswer(this);
      } catch (error) {
        events.onFault(String(error));
      }
    });
    socket.on('error', (error) => events.onFault(error.message));
    socket.on('close', () => events.onFault('a connection was closed by the other side'));
  }

  /** Resolves when it is open, with TLS when that is agreed on. */
  static open({ port, ca }: HttpTarget, events: ConnectionEvents): Promise<CallerConnection> {
    return new Promise((resolve, reject) => {
      const socket =
        ca === null
          ? connectPlain({ port, host: '127.0.0.1' })
          : connectTls({ port, host: '127.0.0.1', servername: 'localhost', ca });
      socket.once('error', reject);
      socket.once(ca === null ? 'connect' : 'secureConnect', () => {
        socket.off('error', reject);
        resolve(new CallerConnection(socket, events));
      });
    });
  }

  send(request: MadeRequest, from: number, isKept: boolean): void {
    this.request = request;
    this.from = from;
    this.isKept = isKept;
    if (isKept) this.reader.keep();
    this.#socket.write(request.bytes);
  }

  /** Ends it without a word. */
  close(): void {
    this.#socket.removeAllListeners('close').on('error', () => undefined);
    this.#socket.destroy();
  }
}
