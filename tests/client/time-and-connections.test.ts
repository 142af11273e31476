import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { NetworkError, SigningClient, TimeoutError } from '../../src/client/client.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caught, caughtAs } from './caught.ts';
import { data, ScriptedServer, SIGNED, type Step, silence } from './scripted-server.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };

/** Sends headers, then single bytes. */
const trickle: Step = (response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
};

describe('Timeout of a call', () => {
  const server = new ScriptedServer();
  let client: SigningClient;

  before(async () => {
    client = new SigningClient({ url: await server.listen(), timeoutMs: 150 });
  });
  after(async () => {
    client.close();
    await server.close();
  });

  for (const [name, step] of Object.entries({ silence, trickle })) {
    it(`ends a call and its connection on ${name}`, async () => {
      server.play(step);
      const error = await caughtAs(TimeoutError, client.sign(ALPHA));
      expect(error).to.include({ kind: 'timeout', phase: 'call', mayHaveBeenDone: true });
      expect(error.message).to.equal('No response within 150 ms.');
      while (server.open > 0) await sleep(5);
    });
  }

  it('can be set per call', async () => {
    server.play(silence);
    expect((await caughtAs(TimeoutError, client.sign(ALPHA, { timeoutMs: 20 }))).message).to.include('20 ms');
  });

  it('includes waiting for a connection', async () => {
    const one = new SigningClient({ url: server.url, timeoutMs: 400, maxConnections: 1 });
    server.play(silence);
    // The second times out while the first has the connection.
    const calls = [caughtAs(TimeoutError, one.sign(ALPHA)), caughtAs(TimeoutError, one.sign(ALPHA, { timeoutMs: 60 }))];
    const known = (await Promise.all(calls)).map(({ mayHaveBeenDone }) => mayHaveBeenDone);
    expect(known).to.deep.equal([true, false]);
    expect(server.seen).to.have.lengthOf(1);
    one.close();
  });

  it('is shorter for connecting, before anything is sent', async () => {
    const mute = createServer();
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const tls = new SigningClient({
      url: `https://127.0.0.1:${(mute.address() as AddressInfo).port}`,
      connectTimeoutMs: 80,
      retry: { attempts: 2, baseDelayMs: 1 },
    });
    const sockets: Socket[] = [];
    mute.on('connection', (socket) => {
      socket.on('error', () => undefined);
      sockets.push(socket);
    });
    // The listener never starts TLS.
    const error = await caughtAs(TimeoutError, tls.sign(ALPHA));
    expect(error).to.include({ phase: 'connect', mayHaveBeenDone: false });
    expect(sockets).to.have.lengthOf(2);
    for (const socket of sockets) socket.destroy();
    mute.close();
  });
});

describe('AbortSignal of a call', () => {
  const server = new ScriptedServer();
  let client: SigningClient;

  before(async () => {
    client = new SigningClient({ url: await server.listen() });
  });
  after(async () => {
    client.close();
    await server.close();
  });

  it('aborts the call with its reason, and closes its connection', async () => {
    server.play(silence);
    const controller = new AbortController();
    const call = caught(client.sign(ALPHA, { signal: controller.signal }));
    while (server.seen.length === 0) await sleep(5);
    const reason = new Error('The order is no longer wanted.');
    controller.abort(reason);
    expect(await call).to.equal(reason);
    while (server.open > 0) await sleep(5);
  });

  it('prevents sending when already aborted', async () => {
    server.play(SIGNED);
    const error = await caught(client.sign(ALPHA, { signal: AbortSignal.abort() }));
    expect((error as Error).name).to.equal('AbortError');
    expect(server.seen).to.deep.equal([]);
  });

  it('ends the wait for a retry', async () => {
    server.play((response) => {
      response.writeHead(503, { 'Content-Type': 'application/json', 'X-Correlation-Id': 'x', 'Retry-After': '8' });
      response.end('{"success":false,"error":{"code":"OVERLOADED","message":"","details":{}}}');
    });
    const controller = new AbortController();
    const call = caught(client.sign(ALPHA, { signal: controller.signal }));
    while (server.seen.length === 0) await sleep(5);
    await sleep(20);
    controller.abort();
    expect(((await call) as Error).name).to.equal('AbortError');
    expect(server.seen).to.have.lengthOf(1);
  });

  it('can be shared by many calls without a warning', async () => {
    server.play(SIGNED);
    const warnings: Error[] = [];
    const hear = (warning: Error) => warnings.push(warning);
    process.on('warning', hear);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 20 }, () => client.sign(ALPHA, { signal })));
    await sleep(5);
    process.off('warning', hear);
    expect(warnings).to.deep.equal([]);
  });

  it('is released after the call', async () => {
    server.play(SIGNED);
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners += 1;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...given);
    };
    await client.sign(ALPHA, { signal });
    expect(listeners).to.equal(0);
  });
});

describe('Connections of the client', () => {
  let service: RunningService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const connections = () =>
    new Promise<number>((resolve) => service.server.getConnections((_, count) => resolve(count)));

  it('are limited by maxConnections and reused', async () => {
    const client = new SigningClient({ url: `http://127.0.0.1:${service.port}`, maxConnections: 3 });
    for (let round = 0; round < 3; round += 1) await Promise.all(Array.from({ length: 20 }, () => client.sign(ALPHA)));
    expect(await connections()).to.equal(3);
    client.close();
    while ((await connections()) > 0) await sleep(5);
  });

  it('count as reused when passed to a waiting call', async () => {
    const server = new ScriptedServer();
    const reused: boolean[] = [];
    const client = new SigningClient({
      ...{ url: await server.listen(), maxConnections: 1, connectTimeoutMs: 60 },
      onAttempt: ({ reusedConnection }) => reused.push(reusedConnection),
    });
    // Longer than connectTimeoutMs.
    server.play((response, request) => setTimeout(() => SIGNED(response, request), 100));
    const warnings: Error[] = [];
    const warned = (warning: Error) => warnings.push(warning);
    process.on('warning', warned);
    await Promise.all(Array.from({ length: 3 }, () => client.sign(ALPHA)));
    server.play(SIGNED);
    await Promise.all(Array.from({ length: 30 }, () => client.sign(ALPHA)));
    await sleep(0);
    process.off('warning', warned);
    expect(warnings).to.deep.equal([]);
    expect(reused).to.deep.equal([false, ...Array(32).fill(true)]);
    client.close();
    await server.close();
  });

  it('are closed after idleTimeoutMs', async () => {
    const client = new SigningClient({ url: `http://127.0.0.1:${service.port}`, idleTimeoutMs: 60 });
    await client.sign(ALPHA);
    expect(await connections()).to.equal(1);
    while ((await connections()) > 0) await sleep(5);
    expect((await client.sign(ALPHA)).algorithm).to.equal('ed25519');
    client.close();
  });

  it('are closed by close(), active ones after their calls; new calls are rejected', async () => {
    const server = new ScriptedServer();
    const client = new SigningClient({ url: await server.listen() });
    server.play(data({}), (response, request) => setTimeout(() => SIGNED(response, request), 60));
    await caught(client.status());
    const call = client.sign(ALPHA);
    while (server.seen.length < 2) await sleep(2);
    client.close();
    expect((await call).algorithm).to.equal('ed25519');
    while (server.open > 0) await sleep(5);
    expect((await caughtAs(TypeError, client.sign(ALPHA))).message).to.include('closed');
    await server.close();
  });

  it('are not reused after the service closed them', async () => {
    const server = new ScriptedServer();
    const client = new SigningClient({ url: await server.listen() });
    server.play(SIGNED);
    await client.sign(ALPHA);
    server.hangUpAll();
    await sleep(20);
    await client.sign(ALPHA);
    expect(server.seen.map(({ connection }) => connection)).to.deep.equal([1, 2]);
    client.close();
    await server.close();
  });

  it('support IPv6', async () => {
    const six: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (chunk) => {
        hosts.push(/^Host: (.*)\r$/im.exec(chunk.toString())?.[1] ?? '');
        socket.destroy();
      });
    });
    const hosts: string[] = [];
    const listening = await new Promise<boolean>((resolve) => {
      six.once('error', () => resolve(false));
      six.listen(0, '::1', () => resolve(true));
    });
    const { port } = listening ? (six.address() as AddressInfo) : { port: 9 };
    const client = new SigningClient({ url: `http://[::1]:${port}`, retry: false });
    const error = await caughtAs(NetworkError, client.sign(ALPHA));
    expect(error.mayHaveBeenDone).to.equal(listening);
    expect(hosts).to.deep.equal(listening ? [`[::1]:${port}`] : []);
    six.close();
  });
});
