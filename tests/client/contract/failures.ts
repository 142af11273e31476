import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createSecureServer } from 'node:tls';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import {
  data,
  hangUp,
  refusal,
  refusalOfProxy,
  ScriptedServer,
  SIGNED,
  type Step,
  silence,
  text,
} from '../scripted-server.ts';
import type { ClientDriver, DriverCall, DriverError } from './driver.ts';

const ORDER = { platformId: 'alpha', accountId: 'main', data: { side: 'buy', amount: '1' } };
const SIGN: DriverCall = { call: 'sign', request: ORDER };
const READ: DriverCall = { call: 'account', request: { platformId: 'alpha', accountId: 'main' } };
const ACCOUNT = {
  ...{ platformId: 'alpha', accountId: 'main', alias: '', status: 'active', environment: 'production' },
  ...{ algorithm: 'ed25519', publicKey: 'x', createdAt: '2026-11-20T08:49:01.000Z', lastUsed: null },
};
const SIGNATURE = {
  ...{ signature: 'x', algorithm: 'ed25519', encoding: 'base58', publicKey: 'y' },
  signedAt: '2026-11-20T08:49:01.000Z',
};
const WHOLE = JSON.stringify({ success: true, data: SIGNATURE });
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FAST = { baseDelayMs: 5, maxDelayMs: 20 };
const BUSY: { readonly [code: string]: Step } = {
  RATE_LIMITED: refusal(429, 'RATE_LIMITED', { retryAfterMs: 10 }, { 'Retry-After': '1' }),
  OVERLOADED: refusal(503, 'OVERLOADED', { retryAfterSeconds: 0 }, { 'Retry-After': '0' }),
  NOT_READY: refusal(503, 'NOT_READY', { reason: 'REPLAY_GUARD_UNAVAILABLE' }, { 'Retry-After': '0' }),
};

/** Contract of every client with scripted responses. */
export function itHandlesFailures(getDriver: () => ClientDriver): void {
  const server = new ScriptedServer();
  let url: string;
  before(async () => {
    url = await server.listen();
  });
  after(() => server.close());

  async function failed(call: DriverCall, ...steps: readonly Step[]): Promise<DriverError & { attempts: number }> {
    server.play(...steps);
    const error = await getDriver().refused(call);
    return { ...error, attempts: server.seen.length };
  }

  describe('retries', () => {
    beforeEach(() => getDriver().open({ url, retry: FAST }));

    for (const [code, step] of Object.entries(BUSY)) {
      it(`requests that the service refused with ${code}, at most three times`, async () => {
        server.play(step, step, SIGNED);
        const call = { ...SIGN, options: { requestId: 'order-1' } };
        expect((await getDriver().done(call)).algorithm).to.equal('ed25519');
        expect(server.seen.map(({ headers }) => headers['x-request-id'])).to.deep.equal(Array(3).fill('order-1'));
        expect(new Set(server.seen.map(({ body }) => body)).size).to.equal(1);
        const error = await failed(SIGN, step);
        expect(error).to.include({ kind: 'service', code, mayHaveBeenDone: false, attempts: 3 });
      });
    }

    it('not before the delay that the service asks for', async () => {
      const times: number[] = [];
      const atTime =
        (step: Step): Step =>
        (response, request) => {
          times.push(performance.now());
          step(response, request);
        };
      const busy = refusal(429, 'RATE_LIMITED', { retryAfterMs: 300 }, { 'Retry-After': '0' });
      server.play(atTime(busy), atTime(SIGNED));
      await getDriver().done(SIGN);
      // Clocks of two processes.
      expect(Number(times[1]) - Number(times[0])).to.be.above(290);
    });

    it('of refusals by a proxy only reading calls', async () => {
      const busy = refusalOfProxy(503, 'OVERLOADED', { 'Retry-After': '0' });
      expect(await failed(SIGN, busy, SIGNED)).to.include({ kind: 'service', mayHaveBeenDone: true, attempts: 1 });
      server.play(busy, data(ACCOUNT));
      await getDriver().done(READ);
      expect(server.seen).to.have.lengthOf(2);
    });

    it('not if a batch never fits the limit, nor beyond the timeout', async () => {
      const never = refusal(429, 'RATE_LIMITED', { retryAfterMs: null });
      expect(await failed(SIGN, never, SIGNED)).to.include({ code: 'RATE_LIMITED', retryAfterMs: null, attempts: 1 });
      const late = refusal(503, 'OVERLOADED', {}, { 'Retry-After': '3600' });
      expect(await failed(SIGN, late, SIGNED)).to.include({ retryAfterMs: 3_600_000, attempts: 1 });
    });

    it('not other refusals, and reports whether they may have been executed', async () => {
      for (const [status, mayHaveBeenDone] of [
        [400, false],
        [403, false],
        [423, false],
        [418, false],
        [500, true],
      ] as const) {
        const error = await failed(SIGN, refusal(status, 'LATER_CODE', { reason: 'X' }), SIGNED);
        expect(error).to.include({ kind: 'service', code: 'LATER_CODE', status, mayHaveBeenDone, attempts: 1 });
        expect(error.details).to.deep.equal({ reason: 'X' });
      }
    });

    it('broken connections of reading calls only, unless allowed', async () => {
      expect(await failed(SIGN, hangUp)).to.include({ kind: 'network', mayHaveBeenDone: true, attempts: 1 });
      expect(await failed({ call: 'reload' }, hangUp)).to.include({ kind: 'network', attempts: 1 });
      expect(await failed(READ, hangUp)).to.include({ kind: 'network', attempts: 3 });
      await getDriver().open({ url, retry: { ...FAST, whenUnanswered: true } });
      server.play(hangUp, hangUp, SIGNED);
      await getDriver().done(SIGN);
      const error = await failed(SIGN, hangUp, refusal(400, 'INVALID_DATA_FORMAT'));
      expect(error).to.include({ kind: 'service', mayHaveBeenDone: true, attempts: 2 });
    });

    it('broken connections that had been open, each attempt once', async () => {
      server.play(data(ACCOUNT), hangUp, hangUp, hangUp);
      await getDriver().done(READ);
      expect(await getDriver().refused(READ)).to.include({ kind: 'network' });
      expect(server.seen).to.have.lengthOf(4);
    });

    it('nothing with retry: false', async () => {
      await getDriver().open({ url, retry: false });
      expect(await failed(READ, hangUp)).to.include({ kind: 'network', attempts: 1 });
    });
  });

  describe('rejects', () => {
    beforeEach(() => getDriver().open({ url, retry: FAST, maxAnswerBytes: 100_000 }));

    const pages: { readonly [name: string]: readonly [number, Step] } = {
      'a page': [200, text(200, '<html>Sign in</html>', { 'Content-Type': 'text/html' })],
      'a page with an error': [502, text(502, '<html>Bad gateway</html>', { 'Content-Type': 'text/html' })],
      'no type': [200, text(200, WHOLE, {})],
      'no JSON': [200, text(200, '{"success":true', JSON_TYPE)],
      'no UTF-8': [200, text(200, Buffer.from(WHOLE.replace('"x"', '"\xff"'), 'latin1'), JSON_TYPE)],
      'NaN, which JSON does not have': [200, text(200, WHOLE.replace('"x"', 'NaN'), JSON_TYPE)],
      'deep nesting': [200, text(200, '['.repeat(90_000), JSON_TYPE)],
      nothing: [200, text(200, '', JSON_TYPE)],
      'no content': [204, text(204, '', JSON_TYPE)],
      null: [200, text(200, 'null', JSON_TYPE)],
      'no data': [200, text(200, '{"success":true}', JSON_TYPE)],
      'a result with an error status': [500, text(500, WHOLE, JSON_TYPE)],
      'a result with another status of success': [202, text(202, WHOLE, JSON_TYPE)],
      'an error without a code': [400, text(400, '{"success":false,"error":{"message":"","details":{}}}', JSON_TYPE)],
      'a redirect': [307, text(307, '', { ...JSON_TYPE, Location: 'http://127.0.0.1:1/' })],
      'a signature without a key': [200, data({ ...SIGNATURE, publicKey: undefined })],
      'a signature of another type': [200, data({ ...SIGNATURE, signature: 7 })],
      'too many bytes': [200, data({ ...SIGNATURE, later: 'x'.repeat(100_000) })],
    };
    for (const [name, [status, step]] of Object.entries(pages)) {
      it(`a response of ${name}`, async () => {
        const error = await failed(SIGN, step);
        expect(error).to.include({ kind: 'protocol', status, mayHaveBeenDone: true, attempts: 1 });
        server.play(data(SIGNATURE));
        await getDriver().done(SIGN);
      });
    }

    it('a signature without the requested payload', async () => {
      const options = { includePayload: true };
      expect(await failed({ ...SIGN, options }, data(SIGNATURE))).to.include({ kind: 'protocol' });
      const requests = [{ requestId: '1', ...ORDER }];
      const results = [{ requestId: '1', status: 'success', signature: 'x', algorithm: 'ed25519' }];
      const batch = data({ results, summary: { total: 1, successful: 1, failed: 0 } });
      expect(await failed({ call: 'signBatch', requests, options }, batch)).to.include({ kind: 'protocol' });
    });

    it('a batch whose results do not match the requests', async () => {
      const requests = ['1', '2'].map((requestId) => ({ requestId, ...ORDER }));
      const result = { status: 'success', signature: 'x', algorithm: 'ed25519' };
      const summary = { total: 2, successful: 2, failed: 0 };
      const results = (...ids: readonly string[]) => ids.map((requestId) => ({ requestId, ...result }));
      for (const wrong of [
        { results: results('1'), summary },
        { results: results('2', '1'), summary },
        { results: results('1', '2'), summary: { ...summary, failed: 1 } },
        { results: [...results('1'), { requestId: '2', status: 'maybe' }], summary },
        { results: [...results('1'), { requestId: '2', status: 'success' }], summary },
      ]) {
        expect(await failed({ call: 'signBatch', requests }, data(wrong))).to.include({
          kind: 'protocol',
          attempts: 1,
        });
      }
      server.play(data({ results: results('1', '2'), summary }));
      expect((await getDriver().done({ call: 'signBatch', requests })).summary).to.deep.equal(summary);
    });

    it('another account than requested', async () => {
      expect(await failed(READ, data({ ...ACCOUNT, accountId: 'other' }))).to.include({ kind: 'protocol' });
    });

    const cuts: { readonly [name: string]: Step } = {
      'half of a body': (response) => {
        response.writeHead(200, { ...JSON_TYPE, 'Content-Length': '1000' });
        response.write('{"success":true,', () => response.socket?.destroy());
      },
      'half of a body in chunks': (response) => {
        response.writeHead(200, JSON_TYPE);
        response.write('{"success":true,', () => response.socket?.destroy());
      },
      'half of a status line': (response) => response.socket?.end('HTTP/1.1 20'),
      'no HTTP': (response) => response.socket?.end('220 mail.internal ESMTP\r\n'),
    };
    for (const [name, step] of Object.entries(cuts)) {
      it(`a truncated response: ${name}`, async () => {
        expect(await failed(SIGN, step)).to.include({ kind: 'network', mayHaveBeenDone: true, attempts: 1 });
        server.play(data(SIGNATURE));
        await getDriver().done(SIGN);
      });
    }

    it('arguments that JSON would change, before anything is sent', async () => {
      server.play(SIGNED);
      for (const special of ['nan', 'infinity', 'big-integer', 'date'] as const) {
        const error = await getDriver().refused({ ...SIGN, special });
        expect(error.kind, special).to.equal('invalid');
        expect(error.message).to.include('data.list[0].x');
      }
      for (const options of [{ requestId: 'a b' }, { traceparent: '00-0-0-00' }, { timeoutMs: -1 }]) {
        expect((await getDriver().refused({ ...SIGN, options })).kind).to.equal('invalid');
      }
      expect(server.seen).to.have.lengthOf(0);
    });

    it('calls after close, and invalid options', async () => {
      await getDriver().done({ call: 'close' });
      expect((await getDriver().refused(SIGN)).kind).to.equal('invalid');
      for (const options of [
        { url: 'ftp://localhost' },
        { url: 'http://user:secret@localhost' },
        { url: 'http://localhost/?a=1' },
        { url, tls: {} },
        { url, retry: { attempts: 11 } },
        { url, maxConnections: -1 },
        { url, pinnedKeys: { alpha: 'x' } },
        { url: 'https://localhost', tls: { cert: { file: TEST_CERTIFICATE.certFile } } },
        { url: 'https://localhost', tls: { ca: { file: import.meta.filename } } },
      ]) {
        const { kind, message } = await getDriver().openRefused(options);
        expect(kind, JSON.stringify(options)).to.equal('invalid');
        expect(message).to.not.match(/secret@|PRIVATE KEY/);
      }
    });
  });

  describe('limits time', () => {
    const slow: Step = (response) => {
      response.writeHead(200, JSON_TYPE);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };
    for (const [name, step] of Object.entries({ 'no response': silence, 'a response byte by byte': slow })) {
      it(`with ${name}`, async () => {
        await getDriver().open({ url, retry: FAST });
        const error = await failed({ ...SIGN, options: { timeoutMs: 300 } }, step);
        expect(error).to.include({ kind: 'timeout', phase: 'call', mayHaveBeenDone: true, attempts: 1 });
      });
    }

    it('while all connections are in use', async () => {
      await getDriver().open({ url, retry: false, maxConnections: 1, timeoutMs: 300 });
      server.play(silence);
      const error = await getDriver().refused({ call: 'parallelSign', request: ORDER, times: 3 });
      expect(error).to.include({ kind: 'timeout', phase: 'call' });
    });
  });

  describe('connects', () => {
    const sockets: Socket[] = [];
    let listener: Server | undefined;
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.destroy();
      listener?.close();
    });

    async function listen(next: Server): Promise<number> {
      listener = next;
      listener.on('connection', (socket) => sockets.push(socket.on('error', () => undefined)));
      await new Promise<void>((resolve) => next.listen(0, '127.0.0.1', resolve));
      return (next.address() as AddressInfo).port;
    }

    it('again if the connection ends in the TLS handshake', async () => {
      const port = await listen(createServer((socket) => socket.destroy()));
      await getDriver().open({ url: `https://127.0.0.1:${port}`, retry: FAST });
      expect(await getDriver().refused(SIGN)).to.include({ kind: 'network', mayHaveBeenDone: false });
      expect(sockets).to.have.lengthOf(3);
    });

    it('again after connectTimeoutMs', async () => {
      const port = await listen(createServer());
      await getDriver().open({ url: `https://127.0.0.1:${port}`, retry: FAST, connectTimeoutMs: 100 });
      const error = await getDriver().refused(SIGN);
      expect(error).to.include({ kind: 'timeout', phase: 'connect', mayHaveBeenDone: false });
      expect(sockets).to.have.lengthOf(3);
    });

    it('not again to a service with an untrusted certificate or another name', async () => {
      const { certFile, keyFile } = TEST_CERTIFICATE;
      const pem = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
      const port = await listen(createSecureServer(pem));
      const own = `https://127.0.0.1:${port}`;
      const tls = { ca: { file: certFile }, serverName: 'other.internal' };
      for (const options of [{ url: own }, { url: own, tls }]) {
        sockets.length = 0;
        await getDriver().open({ ...options, retry: FAST });
        expect(await getDriver().refused(SIGN)).to.include({ kind: 'network', mayHaveBeenDone: false });
        expect(sockets).to.have.lengthOf(1);
      }
    });

    it('to nothing: a NetworkError, certainly not executed', async () => {
      const port = await listen(createServer());
      await new Promise((resolve) => listener?.close(resolve));
      await getDriver().open({ url: `http://127.0.0.1:${port}`, retry: FAST });
      expect(await getDriver().refused(SIGN)).to.include({ kind: 'network', mayHaveBeenDone: false });
    });

    it('once for many calls, within maxConnections', async () => {
      await getDriver().open({ url, maxConnections: 3 });
      server.play(data(SIGNATURE));
      await getDriver().done(SIGN);
      await getDriver().done(SIGN);
      expect(new Set(server.seen.map(({ connection }) => connection)).size).to.equal(1);
      server.play((response, request) => setTimeout(() => data(SIGNATURE)(response, request), 5));
      expect(await getDriver().done({ call: 'parallelSign', request: ORDER, times: 30 })).to.have.lengthOf(30);
      expect(new Set(server.seen.map(({ connection }) => connection)).size).to.be.within(1, 3);
    });

    it('again if the service closed the idle connection', async () => {
      await getDriver().open({ url, retry: false });
      server.play(data(SIGNATURE));
      await getDriver().done(SIGN);
      server.hangUpAll();
      // Until Node has seen it; the other clients look before each call.
      await sleep(200);
      await getDriver().done(SIGN);
      expect(server.seen).to.have.lengthOf(2);
    });

    it('and never takes bytes after a response as the next response', async () => {
      const forged = JSON.stringify({ success: true, data: { ...SIGNATURE, signature: 'forged' } });
      const of = (body: string) =>
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const port = await listen(
        createServer((socket) => socket.once('data', () => socket.write(of(WHOLE) + of(forged)))),
      );
      await getDriver().open({ url: `http://127.0.0.1:${port}` });
      expect((await getDriver().done(SIGN)).signature).to.equal('x');
      expect((await getDriver().done(SIGN)).signature).to.equal('x');
    });

    it('and reads the last response of each to its end, which comes later than its head', async () => {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${WHOLE.length}\r\n`;
      const port = await listen(
        createServer((socket) =>
          socket.once('data', async () => {
            socket.write(`${head}Connection: close\r\n\r\n`);
            await sleep(100);
            socket.end(WHOLE);
          }),
        ),
      );
      await getDriver().open({ url: `http://127.0.0.1:${port}` });
      expect((await getDriver().done(SIGN)).signature).to.equal('x');
    });

    it('and never takes a response after an interim one as the next response', async () => {
      const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${WHOLE.length}\r\n\r\n`;
      let connections = 0;
      const port = await listen(
        createServer((socket) => {
          connections += 1;
          const body = connections === 1 ? WHOLE.replace('"x"', '"f"') : WHOLE;
          socket.on('data', async () => {
            if (connections === 1) socket.write('HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n\r\n');
            await sleep(100);
            socket.write(head + body);
          });
        }),
      );
      await getDriver().open({ url: `http://127.0.0.1:${port}`, retry: false });
      // Its own response, or a refusal of the interim one.
      const first = await getDriver()
        .done(SIGN)
        .then(
          ({ signature }) => signature,
          () => 'refused',
        );
      expect(['f', 'refused']).to.include(first);
      if (first === 'refused') expect((await getDriver().done(SIGN)).signature).to.equal('x');
    });
  });

  it('sends what the API specifies', async () => {
    await getDriver().open({ url: `${url}/proxy/` });
    const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
    server.play(data({ ...SIGNATURE, payload: 'é', payloadEncoding: undefined }));
    const request = { ...ORDER, rule: 'login', data: { price: 0.1, text: 'é<&>\u2028', list: [1, true, null] } };
    const options = { includePayload: true, requestId: 'a-1', traceparent };
    const signature = await getDriver().done({ call: 'sign', request, options });
    expect(signature).to.include({ ...SIGNATURE, payload: 'é' });
    const [seen] = server.seen;
    expect(seen).to.include({ method: 'POST', target: '/proxy/api/v1/sign?include=payload' });
    expect(seen?.headers).to.include({ 'content-type': 'application/json', 'x-request-id': 'a-1', traceparent });
    expect(JSON.parse(seen?.body ?? '')).to.deep.equal(request);

    server.play(data({ ...ACCOUNT, platformId: 'a/b', accountId: '../c d?é' }));
    await getDriver().done({ call: 'account', request: { platformId: 'a/b', accountId: '../c d?é' } });
    expect(server.seen[0]?.target).to.equal('/proxy/api/v1/accounts/a%2Fb/..%2Fc%20d%3F%C3%A9');
    expect(server.seen[0]).to.include({ method: 'GET', body: '' });
    server.play(data({ accounts: [], total: 0, nextCursor: null }));
    await getDriver().done({ call: 'accountPage', request: { platformId: 'a', limit: 7, cursor: 'x+/=' } });
    const query = new URL(server.seen[0]?.target ?? '', url).searchParams;
    expect(Object.fromEntries(query)).to.deep.equal({ platform: 'a', limit: '7', cursor: 'x+/=' });
  });
}
