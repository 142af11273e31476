import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type Attempt,
  NetworkError,
  SigningClient,
  type SigningClientOptions,
  TimeoutError,
} from '../../src/client/client.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caught, caughtAs } from './caught.ts';
import { refusal, ScriptedServer, SIGNED, silence } from './scripted-server.ts';

/* What the contract of all clients leaves open: attempts, signals and connections in TypeScript. */

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };

describe('Connections of SigningClient', () => {
  const server = new ScriptedServer();
  const clients: SigningClient[] = [];
  let url: string;

  beforeEach(async () => {
    url = await server.listen();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await server.close();
  });

  function clientWith(options: Partial<SigningClientOptions> = {}): SigningClient {
    const client = new SigningClient({ url, ...options });
    clients.push(client);
    return client;
  }

  describe('with the AbortSignal of a call', () => {
    it('aborts the call with its reason, and closes its connection', async () => {
      server.play(silence);
      const controller = new AbortController();
      const call = caught(clientWith().sign(ALPHA, { signal: controller.signal }));
      while (server.seen.length === 0) await sleep(5);
      const reason = new Error('The order is no longer wanted.');
      controller.abort(reason);
      expect(await call).to.equal(reason);
      while (server.open > 0) await sleep(5);
    });

    it('sends nothing when already aborted', async () => {
      server.play(SIGNED);
      const error = await caught(clientWith().sign(ALPHA, { signal: AbortSignal.abort() }));
      expect((error as Error).name).to.equal('AbortError');
      expect(server.seen).to.deep.equal([]);
    });

    it('ends the wait for a retry', async () => {
      server.play(refusal(503, 'OVERLOADED', {}, { 'Retry-After': '8' }));
      const controller = new AbortController();
      const client = clientWith({ onAttempt: () => setImmediate(() => controller.abort()) });
      const error = await caught(client.sign(ALPHA, { signal: controller.signal }));
      expect((error as Error).name).to.equal('AbortError');
      expect(server.seen).to.have.lengthOf(1);
    });

    it('leaves no listener behind, and warns of none', async () => {
      server.play(SIGNED);
      const warnings: Error[] = [];
      const onWarning = (warning: Error) => warnings.push(warning);
      process.on('warning', onWarning);
      const { signal } = new AbortController();
      const client = clientWith();
      await Promise.all(Array.from({ length: 20 }, () => client.sign(ALPHA, { signal })));
      await sleep(5);
      process.off('warning', onWarning);
      expect(warnings).to.deep.equal([]);
    });
  });

  it('are reported to onAttempt, also if passed to a waiting call, and its exceptions ignored', async () => {
    const attempts: Attempt[] = [];
    const onAttempt = (attempt: Attempt) => {
      attempts.push(attempt);
      throw new Error('Of the listener.');
    };
    // A response takes longer than connecting may.
    server.play((response, request) => setTimeout(() => SIGNED(response, request), 80));
    const client = clientWith({ maxConnections: 1, connectTimeoutMs: 60, onAttempt });
    await Promise.all(Array.from({ length: 3 }, () => client.sign(ALPHA)));
    expect(attempts.map(({ reusedConnection }) => reusedConnection)).to.deep.equal([false, true, true]);
    expect(attempts[0]).to.include({ method: 'POST', path: '/sign', attempt: 1, status: 200 });
  });

  it('may be waited for as long as the call may take, which is then certainly not executed', async () => {
    const client = clientWith({ timeoutMs: 400, maxConnections: 1 });
    server.play(silence);
    // The second times out while the first has the connection.
    const calls = [client.sign(ALPHA), client.sign(ALPHA, { timeoutMs: 60 })].map((call) =>
      caughtAs(TimeoutError, call),
    );
    expect((await Promise.all(calls)).map(({ mayHaveBeenDone }) => mayHaveBeenDone)).to.deep.equal([true, false]);
  });

  it('are closed after idleTimeoutMs, and made again', async () => {
    server.play(SIGNED);
    const client = clientWith({ idleTimeoutMs: 60 });
    await client.sign(ALPHA);
    while (server.open > 0) await sleep(5);
    expect((await client.sign(ALPHA)).algorithm).to.equal('ed25519');
  });

  it('are closed by close(), active ones after their calls', async () => {
    server.play((response, request) => setTimeout(() => SIGNED(response, request), 60));
    const client = clientWith();
    const call = client.sign(ALPHA);
    while (server.seen.length === 0) await sleep(2);
    client.close();
    expect((await call).algorithm).to.equal('ed25519');
    while (server.open > 0) await sleep(5);
    expect((await caughtAs(TypeError, client.sign(ALPHA))).message).to.include('closed');
  });

  it('deliver a refusal that is sent before the end of the request', async () => {
    server.play(refusal(413, 'REQUEST_TOO_LARGE', {}, { Connection: 'close' }));
    const call = clientWith().sign({ ...ALPHA, data: { ...DATA_A, padding: 'x'.repeat(900_000) } });
    expect(await caught(call)).to.include({ kind: 'service', code: 'REQUEST_TOO_LARGE' });
  });

  it('are made to IPv6 addresses', async () => {
    const client = clientWith({ url: 'http://[::1]:9', retry: false });
    expect((await caughtAs(NetworkError, client.sign(ALPHA))).message).to.not.match(/ENOTFOUND|EAI_AGAIN/);
  });
});
