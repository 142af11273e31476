import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * What Node's HTTP server can do in one process: reads each body and sends the response that it was
 * given, in a child process.
 */

/** The response to every request. */
export interface BareResponse {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

process.once('message', ({ headers, body }: BareResponse) => {
  const bytes = Buffer.from(body);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      // Date is among the headers already.
      response.sendDate = false;
      response.writeHead(200, headers.flat());
      response.end(bytes);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
// The benchmark that started this process has ended.
process.on('disconnect', () => process.exit());
