import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { NetworkError, ProtocolError, SigningClient } from '../../src/client/client.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caughtAs } from './caught.ts';
import { data, hangUp, refusal, ScriptedServer, type Step, text } from './scripted-server.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const BATCH = [
  { requestId: '1', ...ALPHA },
  { requestId: '2', ...ALPHA },
];

const SIGNATURE = {
  ...{ signature: 'x', algorithm: 'ed25519', encoding: 'base58', publicKey: 'y' },
  signedAt: '2026-11-20T08:49:01.000Z',
};
const WHOLE = JSON.stringify({ success: true, data: SIGNATURE });
const ITEM = { status: 'success', signature: 'x', algorithm: 'ed25519' };
const SUMMARY = { total: 2, successful: 2, failed: 0 };

const without = (object: object, name: string) =>
  Object.fromEntries(Object.entries(object).filter(([member]) => member !== name));

describe('SigningClient with an invalid response', () => {
  const server = new ScriptedServer();
  let client: SigningClient;

  before(async () => {
    client = new SigningClient({ url: await server.listen(), maxAnswerBytes: 100_000 });
  });
  after(() => server.close());

  /** Expects a ProtocolError after one attempt, with an uncertain outcome. */
  async function expectProtocolError(step: Step, call: () => Promise<unknown>, status = 200): Promise<void> {
    server.play(step);
    const error = await caughtAs(ProtocolError, call());
    expect(error).to.include({ kind: 'protocol', status, mayHaveBeenDone: true });
    expect(error.message).to.not.equal('');
    expect(server.seen).to.have.lengthOf(1);
  }
  const sign = () => client.sign(ALPHA);

  const json = { 'Content-Type': 'application/json' };
  const pages: { readonly [name: string]: readonly [number, Step] } = {
    'a page': [200, text(200, '<html>Sign in</html>', { 'Content-Type': 'text/html' })],
    'a page with an error': [502, text(502, '<html>Bad gateway</html>', { 'Content-Type': 'text/html' })],
    'no type': [200, text(200, '{"success":true,"data":{}}', {})],
    'no JSON': [200, text(200, '{"success":true', json)],
    'no UTF-8': [200, text(200, Buffer.from(WHOLE.replace('"x"', '"\xff"'), 'latin1'), json)],
    nothing: [200, text(200, '', json)],
    'no content': [204, text(204, '', json)],
    null: [200, text(200, 'null', json)],
    'an array': [200, text(200, '[]', json)],
    'no data': [200, text(200, '{"success":true}', json)],
    'a result with an error status': [500, text(500, WHOLE, json)],
    'a result with another status of success': [202, text(202, WHOLE, json)],
    'an error with status 200': [
      200,
      text(200, '{"success":false,"error":{"code":"X","message":"","details":{}}}', json),
    ],
    'an error without a code': [400, text(400, '{"success":false,"error":{"message":"","details":{}}}', json)],
    'a redirect': [307, text(307, '', { ...json, Location: 'http://127.0.0.1:1/' })],
  };
  for (const [name, [status, step]] of Object.entries(pages)) {
    it(`throws a ProtocolError: ${name}`, () => expectProtocolError(step, sign, status));
  }

  for (const name of Object.keys(SIGNATURE)) {
    it(`throws a ProtocolError: a signature without ${name}`, async () => {
      await expectProtocolError(data(without(SIGNATURE, name)), sign);
      await expectProtocolError(data({ ...SIGNATURE, [name]: 7 }), sign);
    });
  }

  it('throws a ProtocolError: a signature without the requested payload', () =>
    expectProtocolError(data(SIGNATURE), () => client.sign(ALPHA, { includePayload: true })));

  const batches: { readonly [name: string]: object } = {
    'no results': { summary: SUMMARY },
    'too few results': { results: [{ requestId: '1', ...ITEM }], summary: SUMMARY },
    'results of others': {
      results: [
        { requestId: '1', ...ITEM },
        { requestId: '3', ...ITEM },
      ],
      summary: SUMMARY,
    },
    'results in another order': {
      results: [
        { requestId: '2', ...ITEM },
        { requestId: '1', ...ITEM },
      ],
      summary: SUMMARY,
    },
    'a result without a signature': {
      results: [
        { requestId: '1', ...ITEM },
        { requestId: '2', status: 'success' },
      ],
      summary: SUMMARY,
    },
    'a result that is neither': {
      results: [
        { requestId: '1', ...ITEM },
        { requestId: '2', status: 'maybe' },
      ],
      summary: SUMMARY,
    },
    'a failure without an error': {
      results: [
        { requestId: '1', ...ITEM },
        { requestId: '2', status: 'failed' },
      ],
      summary: { total: 2, successful: 1, failed: 1 },
    },
    'a summary of something else': {
      results: [
        { requestId: '1', ...ITEM },
        { requestId: '2', ...ITEM },
      ],
      summary: { total: 2, successful: 1, failed: 1 },
    },
  };
  for (const [name, result] of Object.entries(batches)) {
    it(`throws a ProtocolError: a batch with ${name}`, () =>
      expectProtocolError(data(result), () => client.signBatch(BATCH)));
  }

  it('throws a ProtocolError: a response that does not match the request', async () => {
    await expectProtocolError(data({ valid: 'yes' }), () => client.verify({ ...ALPHA, signature: 'x' }));
    await expectProtocolError(data({ accounts: {}, total: 1 }), () => client.accounts());
    await expectProtocolError(data({ accounts: [{ accountId: 'x' }], total: 1 }), () => client.accounts());
    await expectProtocolError(data({ accounts: [], total: 0 }), () => client.accountPage());
    const account = { ...{ platformId: 'alpha', accountId: 'other' }, alias: '', status: '', environment: '' };
    const whole = { ...account, algorithm: 'ed25519', publicKey: 'x', createdAt: 'x', lastUsed: null };
    await expectProtocolError(data(whole), () => client.account({ platformId: 'alpha', accountId: 'main' }));
    await expectProtocolError(data({ status: 'healthy' }), () => client.status());
    await expectProtocolError(data({ reloadedAt: 'x' }), () => client.reload());
  });

  it('throws a ProtocolError and stops reading beyond maxAnswerBytes', async () => {
    const long: Step = (response) => {
      response.writeHead(200, json);
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    };
    await expectProtocolError(long, sign);
    await expectProtocolError(long, () => client.status());
  });

  it('accepts the same response without the defect (control)', async () => {
    server.play(text(200, WHOLE, json));
    expect(await sign()).to.deep.include(SIGNATURE);
  });

  it('accepts unknown members', async () => {
    server.play(data({ ...SIGNATURE, later: { field: 1 } }));
    expect(await sign()).to.deep.include({ ...SIGNATURE, later: { field: 1 } });
  });

  const cuts: { readonly [name: string]: Step } = {
    'nothing at all': hangUp,
    'half of a body': (response) => {
      response.writeHead(200, { ...json, 'Content-Length': '1000' });
      response.write('{"success":true,', () => response.socket?.destroy());
    },
    'half of a body in chunks': (response) => {
      response.writeHead(200, json);
      response.write('{"success":true,', () => response.socket?.destroy());
    },
    'half of a status line': (response) => response.socket?.end('HTTP/1.1 20'),
    'no HTTP': (response) => response.socket?.end('220 mail.internal ESMTP\r\n'),
    'two lengths': (response) =>
      response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    'more headers than Node reads': (response) =>
      response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(65_536)}\r\n\r\n`),
  };
  for (const [name, step] of Object.entries(cuts)) {
    it(`throws a NetworkError without a retry: ${name}`, async () => {
      server.play(step);
      const error = await caughtAs(NetworkError, sign());
      expect(error).to.include({ kind: 'network', mayHaveBeenDone: true });
      expect(error.cause).to.be.instanceOf(Error);
      expect(server.seen).to.have.lengthOf(1);
    });
  }

  it('completes the next call', async () => {
    for (const step of [...Object.values(cuts), text(200, 'garbage')]) {
      server.play(step, data(SIGNATURE));
      await caughtAs(Error, sign());
      expect(await sign()).to.deep.include(SIGNATURE);
    }
  });

  it('recognises a refusal sent before the end of the request', async () => {
    server.play(refusal(413, 'REQUEST_TOO_LARGE', {}, { Connection: 'close' }));
    const call = client.sign({ ...ALPHA, data: { ...DATA_A, padding: 'x'.repeat(900_000) } });
    expect(await caughtAs(Error, call)).to.include({ kind: 'service', code: 'REQUEST_TOO_LARGE' });
  });
});

describe('Bytes after a response', () => {
  let server: Server;
  let url: string;

  before(async () => {
    // Sends an extra response after each.
    const body = JSON.stringify({ success: true, data: SIGNATURE });
    const forged = JSON.stringify({ success: true, data: { ...SIGNATURE, signature: 'forged' } });
    const of = (content: string) =>
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n${content}`;
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(of(body) + of(forged)));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => new Promise((resolve) => server.close(resolve)));

  it('are not treated as the response to the next call', async () => {
    const client = new SigningClient({ url });
    expect((await client.sign(ALPHA)).signature).to.equal('x');
    expect((await client.sign(ALPHA)).signature).to.equal('x');
    client.close();
  });
});
