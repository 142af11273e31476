import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import {
  NetworkError,
  ServiceError,
  SigningClient,
  type SigningClientOptions,
  TimeoutError,
} from '../../src/client/client.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caughtAs } from './caught.ts';
import {
  data,
  hangUp,
  refusal,
  refusalOfProxy,
  ScriptedServer,
  SIGNED,
  type Step,
  silence,
} from './scripted-server.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };

const BUSY: { readonly [code: string]: Step } = {
  RATE_LIMITED: refusal(429, 'RATE_LIMITED', { retryAfterMs: 20 }, { 'Retry-After': '1' }),
  OVERLOADED: refusal(503, 'OVERLOADED', { retryAfterSeconds: 0 }, { 'Retry-After': '0' }),
  NOT_READY: refusal(503, 'NOT_READY', { reason: 'REPLAY_GUARD_UNAVAILABLE' }, { 'Retry-After': '0' }),
};
const ACCOUNT = {
  ...{ platformId: 'alpha', accountId: 'main', alias: '', status: 'active', environment: 'production' },
  ...{ algorithm: 'ed25519', publicKey: 'x', createdAt: '2026-11-20T08:49:01.000Z', lastUsed: null },
};
const FAST = { baseDelayMs: 10, maxDelayMs: 40 };

async function eventLoopTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await setImmediate();
}

describe('SigningClient retries', () => {
  const server = new ScriptedServer();
  let url: string;
  const clients: SigningClient[] = [];

  before(async () => {
    url = await server.listen();
  });
  after(() => server.close());
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  function clientWith(options: Partial<SigningClientOptions> = {}): SigningClient {
    const client = new SigningClient({ url, retry: FAST, ...options });
    clients.push(client);
    return client;
  }

  for (const [code, step] of Object.entries(BUSY)) {
    it(`requests refused with ${code}`, async () => {
      server.play(step, step, SIGNED);
      const client = clientWith();
      expect((await client.sign(ALPHA, { requestId: 'order-1' })).algorithm).to.equal('ed25519');
      expect(server.seen).to.have.lengthOf(3);
      expect(new Set(server.seen.map(({ body }) => body)).size).to.equal(1);
      expect(server.seen.map(({ headers }) => headers['x-request-id'])).to.deep.equal(Array(3).fill('order-1'));
    });

    it(`at most three attempts: ${code}`, async () => {
      server.play(step);
      expect((await caughtAs(ServiceError, clientWith().sign(ALPHA))).code).to.equal(code);
      expect(server.seen).to.have.lengthOf(3);
    });
  }

  it('not before Retry-After', async () => {
    server.play(refusal(429, 'RATE_LIMITED', { retryAfterMs: 300 }), SIGNED);
    let signed: Promise<unknown> | undefined;
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const refused = new Promise<unknown>((resolve) => {
        signed = clientWith({ onAttempt: resolve }).sign(ALPHA);
      });
      await refused;
      await eventLoopTurns(20);
      mock.timers.tick(299);
      await eventLoopTurns(20);
      expect(server.seen).to.have.lengthOf(1);
      // Up to 300 ms of jitter.
      mock.timers.tick(301);
      await signed;
      expect(server.seen).to.have.lengthOf(2);
    } finally {
      mock.timers.reset();
    }
  });

  it('never past the deadline of the call', async () => {
    server.play(refusal(503, 'OVERLOADED', {}, { 'Retry-After': '3600' }));
    // Either wait would exceed the test's timeout.
    const error = await caughtAs(ServiceError, clientWith().sign(ALPHA, { timeoutMs: 600_000 }));
    expect(error.retryAfterMs).to.equal(3_600_000);
    expect(server.seen).to.have.lengthOf(1);
  });

  it('never a batch above the limit', async () => {
    server.play(refusal(429, 'RATE_LIMITED', { retryAfterMs: null }));
    await caughtAs(ServiceError, clientWith().signBatch([{ requestId: '1', ...ALPHA }]));
    expect(server.seen).to.have.lengthOf(1);
  });

  const final = [
    [400, 'INVALID_DATA_FORMAT'],
    [403, 'FORBIDDEN'],
    [404, 'ACCOUNT_NOT_FOUND'],
    [423, 'ACCOUNT_INACTIVE'],
    [500, 'SIGNATURE_FAILED'],
    [500, 'INTERNAL_ERROR'],
    [401, 'UNAUTHENTICATED'],
  ] as const;
  for (const [status, code] of final) {
    it(`never requests refused with ${code}`, async () => {
      server.play(refusal(status, code, {}, { 'Retry-After': '0' }));
      await caughtAs(ServiceError, clientWith().sign(ALPHA));
      await caughtAs(ServiceError, clientWith().status());
      expect(server.seen).to.have.lengthOf(2);
    });
  }

  it('never with retry: false', async () => {
    server.play(BUSY['OVERLOADED'] as Step);
    await caughtAs(ServiceError, clientWith({ retry: false }).sign(ALPHA));
    expect(server.seen).to.have.lengthOf(1);
  });

  describe('without a response', () => {
    const requests: { readonly [name: string]: (client: SigningClient) => Promise<unknown> } = {
      sign: (client) => client.sign(ALPHA),
      signBatch: (client) => client.signBatch([{ requestId: '1', ...ALPHA }]),
      verify: (client) => client.verify({ ...ALPHA, signature: 'x' }),
      reload: (client) => client.reload(),
    };
    for (const [name, send] of Object.entries(requests)) {
      it(`never ${name}, which may have been executed`, async () => {
        server.play(hangUp);
        expect((await caughtAs(NetworkError, send(clientWith()))).mayHaveBeenDone).to.equal(true);
        expect(server.seen).to.have.lengthOf(1);
      });

      it(`never ${name} on a reused connection, which may have been closed after the execution`, async () => {
        server.play(data(ACCOUNT), hangUp);
        const client = clientWith();
        await client.account(ACCOUNT);
        expect((await caughtAs(NetworkError, send(client))).mayHaveBeenDone).to.equal(true);
        expect(server.seen.map(({ connection }) => connection)).to.deep.equal([
          server.seen[0]?.connection,
          server.seen[0]?.connection,
        ]);
      });

      it(`${name}, with whenUnanswered`, async () => {
        server.play(hangUp);
        await caughtAs(NetworkError, send(clientWith({ retry: { ...FAST, whenUnanswered: true } })));
        expect(server.seen).to.have.lengthOf(3);
      });
    }

    const after: { readonly [name: string]: Step } = {
      'is refused for certain': BUSY['OVERLOADED'] as Step,
      'is refused for another reason': refusal(423, 'ACCOUNT_INACTIVE', {}),
    };
    for (const [name, step] of Object.entries(after)) {
      it(`reports that an attempt may have been executed even if the next one ${name}`, async () => {
        server.play(hangUp, step);
        const call = clientWith({ retry: { ...FAST, attempts: 2, whenUnanswered: true } }).sign(ALPHA);
        expect((await caughtAs(ServiceError, call)).mayHaveBeenDone).to.equal(true);
        expect(server.seen).to.have.lengthOf(2);
      });
    }

    it('reports the first attempt when the second finds no listener', async () => {
      const ending = new ScriptedServer();
      const address = await ending.listen();
      ending.play((response) => {
        ending.close();
        hangUp(response, ending.seen[0] as never);
      });
      const retry = { ...FAST, attempts: 2, whenUnanswered: true };
      const error = await caughtAs(NetworkError, clientWith({ url: address, retry }).sign(ALPHA));
      expect(error.message).to.include('ECONNREFUSED');
      expect(error.mayHaveBeenDone).to.equal(true);
    });

    it('GET calls', async () => {
      server.play(hangUp, (response) => response.socket?.end('HTTP/1.1 200 OK\r\nContent-'), data(ACCOUNT));
      expect(await clientWith().account(ACCOUNT)).to.deep.equal(ACCOUNT);
      expect(server.seen).to.have.lengthOf(3);
    });

    it('never after the timeout', async () => {
      server.play(silence);
      await caughtAs(TimeoutError, clientWith().account(ACCOUNT, { timeoutMs: 100 }));
      expect(server.seen).to.have.lengthOf(1);
    });
  });

  describe('of refusals by a proxy', () => {
    const step = refusalOfProxy(503, 'OVERLOADED', { 'Retry-After': '0' });

    it('never a signing request, which may have been forwarded', async () => {
      server.play(step);
      expect((await caughtAs(ServiceError, clientWith().sign(ALPHA))).mayHaveBeenDone).to.equal(true);
      expect(server.seen).to.have.lengthOf(1);
    });

    it('GET calls, and signing requests with whenUnanswered', async () => {
      server.play(step, data(ACCOUNT));
      await clientWith().account(ACCOUNT);
      server.play(step, SIGNED);
      await clientWith({ retry: { ...FAST, whenUnanswered: true } }).sign(ALPHA);
      expect(server.seen).to.have.lengthOf(2);
    });
  });

  it('refused connections, since nothing was sent', async () => {
    const nobody = createServer();
    await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
    const { port } = nobody.address() as AddressInfo;
    await new Promise((resolve) => nobody.close(resolve));
    const attempts: (number | null)[] = [];
    const options = {
      url: `http://127.0.0.1:${port}`,
      onAttempt: ({ status }: { status: number | null }) => attempts.push(status),
    };
    const error = await caughtAs(NetworkError, clientWith(options).sign(ALPHA));
    expect(error.mayHaveBeenDone).to.equal(false);
    expect(error.message).to.include('ECONNREFUSED');
    expect(attempts).to.deep.equal([null, null, null]);
  });

  it('never an unknown host', async () => {
    const attempts: number[] = [];
    const options = {
      url: 'http://nowhere.invalid',
      onAttempt: ({ attempt }: { attempt: number }) => attempts.push(attempt),
    };
    const error = await caughtAs(NetworkError, clientWith({ ...options, retry: { baseDelayMs: 0 } }).sign(ALPHA));
    expect(error.mayHaveBeenDone).to.equal(false);
    // EAI_AGAIN, without a name server, may be transient.
    expect(attempts.length).to.equal(error.message.includes('EAI_AGAIN') ? 3 : 1);
  });
});
