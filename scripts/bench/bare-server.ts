import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * Baseline: Node's HTTP server in a child process, which reads each body and sends a fixed
 * response.
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
      // The headers contain Date already.
      response.sendDate = false;
      response.writeHead(200, headers.flat());
      response.end(bytes);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
});
// The benchmark has ended.
process.on('disconnect', () => process.exit());
