import { once } from 'node:events';
import { createServer } from 'node:net';

/** A TCP port of 127.0.0.1 on which nobody listens just now, for a process that can't choose one itself or has to come back to it. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}
