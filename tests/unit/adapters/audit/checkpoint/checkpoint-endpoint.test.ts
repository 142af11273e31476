import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { CheckpointEndpoint } from '../../../../../src/adapters/audit/checkpoint/checkpoint-endpoint.ts';
import type { AuditCheckpoint } from '../../../../../src/domain/model/audit-entry.ts';

const CHECKPOINT: AuditCheckpoint = {
  instanceId: 'signer-1',
  seq: 7,
  time: '2026-11-20T08:49:00.123Z',
  hash: `sha256:${'0a'.repeat(32)}`,
  sig: `${'A'.repeat(86)}==`,
};

describe('CheckpointEndpoint', () => {
  let server: Server;
  let handle: (request: IncomingMessage, response: ServerResponse) => void;

  beforeEach(async () => {
    server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const endpoint = (timeoutMs = 5000) =>
    new CheckpointEndpoint(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/kept`), timeoutMs);
  const failure = (target: CheckpointEndpoint) =>
    target.save(CHECKPOINT).then(
      () => null,
      (error: unknown) => String(error),
    );

  it('fails if the endpoint switches protocols, which Node does not report as an error', async () => {
    handle = (_request, { socket }) => {
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    };
    expect(await failure(endpoint())).to.include('closed the connection without a response');
  });

  it('fails with any status but 2xx, without following a redirect', async () => {
    for (const status of [302, 400, 503]) {
      let requests = 0;
      handle = (_request, response) => {
        requests += 1;
        response.writeHead(status, { Location: '/elsewhere' }).end();
      };
      expect(await failure(endpoint())).to.include(`HTTP status ${status}`);
      expect(requests).to.equal(1);
    }
  });

  it('posts the checkpoint as JSON, and does not wait for the end of the response', async () => {
    let seen: unknown;
    handle = async (request, response) => {
      seen = [request.method, request.url, request.headers['content-type'], await json(request)];
      response.writeHead(200).write('and so on');
    };
    expect(await failure(endpoint())).to.equal(null);
    expect(seen).to.deep.equal(['POST', '/kept', 'application/json', CHECKPOINT]);
  });

  it('fails when there is no response in time, or no server', async () => {
    handle = () => undefined;
    expect(await failure(endpoint(50))).to.match(/127\.0\.0\.1:\d+ did not respond within 50 ms/);
    const target = endpoint();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await failure(target)).to.include('ECONNREFUSED');
  });
});
