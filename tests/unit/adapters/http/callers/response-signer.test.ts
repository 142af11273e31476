import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import { getResponseSigner, signResponseWith } from '../../../../../src/adapters/http/callers/response-signer.ts';
import { respondWithData } from '../../../../../src/adapters/http/envelope.ts';
import { openSocket } from '../../../../harness/raw-client.ts';

describe('getResponseSigner', () => {
  let server: Server;
  let socket: Socket;
  let response: ServerResponse;

  beforeEach(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = await openSocket((server.address() as AddressInfo).port);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    [, response] = await once(server, 'request');
    // Like Express.
    Object.assign(response, { locals: {} });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** A stop wipes the key. */
  const wiped = () => {
    throw new Error('There is no key.');
  };

  it('returns no signer once the caller has disconnected', async () => {
    signResponseWith(response as Response, wiped);
    expect(getResponseSigner(response)).to.equal(wiped);
    const gone = once(response, 'close');
    socket.destroy();
    await gone;
    expect(getResponseSigner(response)).to.equal(null);
    expect(() => respondWithData(response, {})).not.to.throw();
  });
});
