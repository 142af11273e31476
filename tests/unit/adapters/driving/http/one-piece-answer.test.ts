import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Response } from 'express';
import {
  changeHead,
  heldHeadOf,
  holdHead,
  setHeldHead,
  standingHeaders,
} from '../../../../../src/adapters/driving/http/answer-head.ts';
import { answerData, answerRefusal } from '../../../../../src/adapters/driving/http/envelope.ts';
import { networkNotAllowed, overloaded } from '../../../../../src/adapters/driving/http/http-refusal.ts';
import { writeInOnePiece } from '../../../../../src/adapters/driving/http/one-piece-answer.ts';
import { exchangeUntilClosed } from '../../../../api/raw-client.ts';

const ID = '8d0f2c1e-1111-4222-8333-123456789abc';
const FIRST = standingHeaders((message) => message.setHeader('Cache-Control', 'no-store'));
const STANDING = standingHeaders((message) => {
  message.setHeader('Cache-Control', 'no-store');
  message.setHeader('Content-Security-Policy', "default-src 'self';style-src 'self' https:");
  message.setHeader('X-Frame-Options', 'DENY');
  message.setHeader('X-Frame-Options', 'SAMEORIGIN');
});

/** What a handler does between the opening of the call and its answer. */
type Answer = (response: Response) => void;

const text =
  (body: string): Answer =>
  (response) =>
    answerData(response, body);

describe('An answer in one piece', () => {
  let server: Server;
  let handle: (request: IncomingMessage, response: Response) => void;
  let inOnePiece: boolean;

  beforeEach(async () => {
    server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => handle(request, response as Response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** All that comes back for these requests, with this done to the response before anything else. */
  async function received(requests: string, answer: Answer, first: Answer = () => undefined): Promise<string> {
    let left = requests.split('HTTP/1.').length - 1;
    handle = (request, response) => {
      Object.assign(response, { locals: {} });
      holdHead(response, ID, FIRST);
      first(response);
      changeHead(response, STANDING);
      left -= 1;
      // The last one ends the connection, so that all of it is seen.
      if (left === 0) response.once('close', () => request.socket.end());
      answer(response);
      inOnePiece = heldHeadOf(response) !== null;
    };
    const bytes = await exchangeUntilClosed((server.address() as AddressInfo).port, requests);
    return bytes.replaceAll(/Date: [^\r]+/g, 'Date: now');
  }

  const GET = 'GET /a HTTP/1.1\r\nHost: localhost\r\n';
  const cases: readonly (readonly [name: string, requests: string, answer: Answer])[] = [
    ['to HTTP/1.1', `${GET}\r\n`, text('a "text"')],
    ['to a caller who closes', `${GET}Connection: close\r\n\r\n`, text('a')],
    ['to HTTP/1.0', 'GET /a HTTP/1.0\r\n\r\n', text('a')],
    ['to HTTP/1.0 that stays', 'GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', text('a')],
    ['to requests in a row', `${GET}\r\n${GET}\r\n${GET}\r\n`, text('a')],
    ['that is long', `${GET}\r\n`, text('x'.repeat(300_000))],
    ['that refuses', `${GET}\r\n`, (response) => answerRefusal(response, networkNotAllowed())],
    ['to a POST', 'POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}', text('a')],
  ];
  for (const [name, requests, answer] of cases) {
    it(`${name} has the same bytes as one whose headers are set one by one`, async () => {
      const one = await received(requests, answer);
      expect(inOnePiece).to.equal(true);
      const usual = await received(requests, answer, setOneByOne);
      expect(inOnePiece).to.equal(false);
      expect(one).to.equal(usual);
      expect(one).to.include(
        `\r\nX-Request-Id: ${ID}\r\nX-Correlation-Id: ${ID}\r\nCache-Control: no-store\r\nContent-Security`,
      );
      expect(one).to.include('\r\nX-Frame-Options: SAMEORIGIN\r\nContent-Type: application/json');
    });
  }

  const others: readonly (readonly [name: string, requests: string, answer: Answer])[] = [
    ['has no body', 'HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n', text('a')],
    ['is waited for by one who has not sent its body', `${GET}Expect: 100-continue\r\n\r\n`, text('a')],
    ['is not ASCII', `${GET}\r\n`, text('é')],
    ['is beyond Latin-1', `${GET}\r\n`, text('😀\u2028')],
    ['has a header added', `${GET}\r\n`, (response) => answerRefusal(response, overloaded(1))],
    [
      'has a header added by somebody else',
      `${GET}\r\n`,
      (response) => answerData(response.setHeader('Connection', 'close') as Response, 'a'),
    ],
  ];
  for (const [name, requests, answer] of others) {
    it(`is not made where the answer ${name}: it is the usual one`, async () => {
      const answered = await received(requests, answer);
      expect(inOnePiece).to.equal(false);
      expect(answered).to.equal(await received(requests, answer, setOneByOne));
      expect(answered).to.include(`\r\nX-Request-Id: ${ID}\r\nX-Correlation-Id: ${ID}\r\nCache-Control: no-store\r\n`);
    });
  }

  it('is not made a second time, nor for one that was begun', async () => {
    const again: boolean[] = [];
    const answer: Answer = (response) => {
      const head = heldHeadOf(response) ?? expect.fail('none is held');
      answerData(response, 'a');
      again.push(writeInOnePiece(response, head, 'text/plain', 'b'));
    };
    expect(await received(`${GET}\r\n`, answer))
      .to.include('"data":"a"')
      .and.not.to.include('text/plain');
    expect(again).to.deep.equal([false]);
  });

  it('says that it is finished as any other does, and is counted as sent', async () => {
    const events: string[] = [];
    const answer: Answer = (response) => {
      for (const event of ['prefinish', 'finish', 'close']) response.once(event, () => events.push(event));
      answerData(response, 'a');
      events.push(`${response.headersSent} ${response.writableEnded}`);
      response.once('close', () => events.push(String(response.writableFinished)));
    };
    const one = await received(`${GET}\r\n`, answer);
    const seen = events.splice(0);
    expect(await received(`${GET}\r\n`, answer, setOneByOne)).to.equal(one);
    expect(seen).to.deep.equal(events).and.to.deep.equal(['prefinish', 'true true', 'finish', 'close', 'true']);
  });

  for (const [name, data] of [
    ['in one piece', 'a'.repeat(1000)],
    ['the usual way', '\u6f22'.repeat(1000)],
  ] as const) {
    it(`tells how many bytes of it wait to be read, and is held once: ${name}`, () => {
      const response = new ServerResponse({ method: 'GET', headers: {} } as never) as unknown as Response;
      Object.assign(response, { locals: {}, req: { method: 'GET', headers: {} } });
      holdHead(response, ID, STANDING);
      answerData(response, data);
      const { _header: head } = response as unknown as { readonly _header: string };
      const body = JSON.stringify({ success: true, data });
      expect(head).to.not.include('success');
      expect(response.writableLength).to.equal(head.length + Buffer.byteLength(body));
    });
  }

  it('is not made, and does no harm, once the caller is gone', () => {
    const response = new ServerResponse({ method: 'GET', headers: {} } as never) as unknown as Response;
    Object.assign(response, { locals: {}, req: { method: 'GET', headers: {} } });
    holdHead(response, ID, STANDING);
    response.destroy();
    expect(() => answerData(response, {})).not.to.throw();
  });
});

describe('What an answer begins with', () => {
  it('is set before the headers that were set meanwhile, once, and is then held no more', () => {
    const response = new ServerResponse({ method: 'GET' } as never) as unknown as Response;
    Object.assign(response, { locals: {} });
    holdHead(response, ID, STANDING);
    response.setHeader('Retry-After', 1);
    setHeldHead(response);
    response.setHeader('X-Frame-Options', 'DENY');
    setHeldHead(response);
    expect(heldHeadOf(response)).to.equal(null);
    expect(Object.entries(response.getHeaders())).to.deep.equal([
      ['x-request-id', ID],
      ['x-correlation-id', ID],
      ['cache-control', 'no-store'],
      ['content-security-policy', "default-src 'self';style-src 'self' https:"],
      ['x-frame-options', 'DENY'],
      ['retry-after', 1],
    ]);
  });

  it('can not be anything that is no header', () => {
    expect(() => standingHeaders((message) => message.setHeader('A', 'b\r\nC: d'))).to.throw();
  });
});

/** As every answer was written before: what is held is set with setHeader, so that there are headers. */
function setOneByOne(response: Response): void {
  holdHead(response, ID, STANDING);
  setHeldHead(response);
}
