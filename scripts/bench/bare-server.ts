import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * Node's HTTP server in a child process, which reads each body and sends a recorded response: at
 * once, or when as many bytes as in an audit record are durable in a file.
 */

const { O_APPEND, O_CREAT, O_DSYNC, O_WRONLY } = constants;
/** An audit record of a single signature. */
const RECORD = `${'r'.repeat(1000)}\n`;

/** What the server does. */
export interface BareServerTask {
  readonly headers: readonly (readonly string[])[];
  readonly body: string;
  /** File to append to before each response, created if missing; null for none. */
  readonly appendTo: string | null;
}

async function serve({ headers, body, appendTo }: BareServerTask): Promise<void> {
  const bytes = Buffer.from(body);
  const file = appendTo === null ? null : await open(appendTo, O_WRONLY | O_APPEND | O_CREAT | O_DSYNC, 0o600);
  const respond = async (response: ServerResponse, handle: FileHandle | null) => {
    await handle?.write(RECORD);
    // The headers contain Date already.
    response.sendDate = false;
    response.writeHead(200, headers.flat());
    response.end(bytes);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      Buffer.concat(chunks);
      void respond(response, file);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

process.once('message', (task: BareServerTask) => void serve(task));
// The benchmark has ended.
process.on('disconnect', () => process.exit());
