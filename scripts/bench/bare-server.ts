import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/* Node's HTTP server in a child process, which reads each body and sends a recorded response. */

process.once('message', ({ headers, body }: { headers: string[][]; body: string }) => {
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
