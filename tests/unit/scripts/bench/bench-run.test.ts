import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { BenchRun } from '../../../../scripts/bench/bench-run.ts';
import { Cleanup } from '../../../../scripts/stage/bounded-run.ts';

const LATE_MS = 300;

describe('A run of the bench', () => {
  it('tells nothing of a round in which nothing was answered, which would be neither fast nor slow', async () => {
    const server = createServer((_, response) => setTimeout(() => response.end('{}'), LATE_MS)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const measured = {
      services: [{ target: { port, ca: null }, pid: process.pid }],
      requests: { algorithm: 'ed25519', accounts: 2, batch: null, different: 10 },
      ...{ connections: 1, accounts: null },
    } as const;
    const cleanup = new Cleanup();
    const run = new BenchRun(cleanup);
    const told = await run.round('paced100', measured, { warmUpMs: 0, ms: 50 }).then(
      () => 'a round',
      (error: Error) => error.message,
    );
    await cleanup.run();
    server.close();
    expect(run.rounds).to.deep.equal({});
    expect(told).to.equal('Nothing was answered within 50 ms (single ed25519, 100/s paced).');
  });
});
