import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import { CheckpointEndpoint } from '../../../../../src/adapters/audit/checkpoint/checkpoint-endpoint.ts';
import { sampleCheckpoint } from './sample-checkpoint.ts';

describe('CheckpointEndpoint', () => {
  let server: Server;
  let url: URL;
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown;

  beforeEach(async () => {
    server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/kept`);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Why a checkpoint was not saved; `null` if it was. */
  const failure = (timeoutMs = 5000) =>
    new CheckpointEndpoint(url, timeoutMs).save(sampleCheckpoint(7)).then(() => null, String);

  it('fails if the endpoint switches protocols, which Node does not report as an error', async () => {
    handle = (_request, { socket }) =>
      socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n');
    expect(await failure()).to.include('closed the connection without a response');
  });

  it('fails with any status but 2xx, without following a redirect', async () => {
    for (const status of [302, 400, 503]) {
      let requests = 0;
      handle = (_request, response) => {
        requests += 1;
        response.writeHead(status, { Location: '/elsewhere' }).end();
      };
      expect(await failure()).to.include(`HTTP status ${status}`);
      expect(requests).to.equal(1);
    }
  });

  it('posts the checkpoint as JSON, and does not wait for the end of the response', async () => {
    let seen: unknown;
    handle = async (request, response) => {
      seen = [request.method, request.url, request.headers['content-type'], await json(request)];
      response.writeHead(200).write('and so on');
    };
    expect(await failure()).to.equal(null);
    expect(seen).to.deep.equal(['POST', '/kept', 'application/json', sampleCheckpoint(7)]);
  });

  it('fails when there is no response in time, or no server', async () => {
    handle = () => undefined;
    expect(await failure(50)).to.match(/127\.0\.0\.1:\d+ did not respond within 50 ms/);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    expect(await failure()).to.include('ECONNREFUSED');
  });
});
