import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { answerQuestions } from './asked-process.ts';

/* The limit of what Node's HTTP or HTTPS server can do in one process: it reads each body whole, and answers the bytes that the service answered, without a look at what was asked. */

/** The answer that is given to every request. */
export interface BareAnswer {
  /** From the status line on, with the empty line at its end. */
  readonly head: string;
  readonly body: string;
  /** Null for HTTP. */
  readonly tls: BareCertificate | null;
}

/** PEM texts. */
export interface BareCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Where it listens. */
export interface BarePlace {
  readonly port: number;
}

answerQuestions(async ({ head, body, tls }: BareAnswer): Promise<BarePlace> => {
  const headers = head
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .flatMap((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]);
  const bytes = Buffer.from(body);
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      // Date is among the headers, as they were answered.
      response.sendDate = false;
      response.writeHead(200, headers);
      response.end(bytes);
    });
  };
  const server = tls === null ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
});
