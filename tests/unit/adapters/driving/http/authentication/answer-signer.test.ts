import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import {
  answerSignerOf,
  signAnswerWith,
} from '../../../../../../src/adapters/driving/http/authentication/answer-signer.ts';
import { answerData } from '../../../../../../src/adapters/driving/http/envelope.ts';
import { openSocket } from '../../../../../api/raw-client.ts';

describe('answerSignerOf', () => {
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
    // As Express does.
    Object.assign(response, { locals: {} });
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** After a stop the service's key is wiped. */
  const wiped = () => {
    throw new Error('There is no key.');
  };

  it('gives what signs the answer to a caller who is there', () => {
    expect(answerSignerOf(response)).to.equal(null);
    signAnswerWith(response as Response, wiped);
    expect(answerSignerOf(response)).to.equal(wiped);
  });

  it('asks for no signature once the caller is gone', async () => {
    signAnswerWith(response as Response, wiped);
    const gone = once(response, 'close');
    socket.destroy();
    await gone;
    expect(answerSignerOf(response)).to.equal(null);
    expect(() => answerData(response, {})).not.to.throw();
  });
});
