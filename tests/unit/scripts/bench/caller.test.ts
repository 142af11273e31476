import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { AskedProcess } from '../../../../scripts/bench/asked-process.ts';
import type { BareAnswer, BarePlace } from '../../../../scripts/bench/bare-server.ts';
import type { Drive, Driven } from '../../../../scripts/bench/drive.ts';
import type { RawQuestion, RawRate } from '../../../../scripts/bench/raw-limits.ts';

const SINGLES = { algorithm: 'ed25519', accounts: 10, batch: null, different: 50 } as const;
const BATCHES = { ...SINGLES, batch: 3 };

describe('The callers of the bench', () => {
  const caller = new AskedProcess<Drive, Driven>('caller.ts');
  let answer: (response: ServerResponse, body: string) => void;
  let most: number;
  let now: number;
  const server = createServer(async (request: IncomingMessage, response) => {
    now += 1;
    most = Math.max(most, now);
    answer(response, await text(request));
    now -= 1;
  });

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    [most, now] = [0, 0];
    answer = (response, body) => reply(response, 200, body);
  });
  after(async () => {
    await caller.end();
    server.closeAllConnections();
    server.close();
  });

  function reply(response: ServerResponse, status: number, body: string): void {
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
  }

  function drive(more: Partial<Drive> = {}): Promise<Driven> {
    const target = { port: (server.address() as AddressInfo).port, ca: null };
    return caller.ask({
      ...{ targets: [target], connections: 4, requests: SINGLES, perSecond: null },
      ...{ warmUpMs: 20, ms: 200, samples: 2, pids: [process.pid], ...more },
    });
  }

  it('count and time the answers, and tell some of them whole with what was asked', async () => {
    const { answers, ms, p50, p99, samples, head, rssBytes } = await drive();
    expect(answers).to.be.above(0);
    expect(ms).to.be.above(0);
    expect(p50).to.be.within(0.01, p99);
    expect(rssBytes).to.be.above(1e6);
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n$/);
    expect(samples).to.have.lengthOf(2);
    for (const { body, wishes } of samples) expect(JSON.parse(body).data.call).to.equal(wishes[0]?.call);
  });

  it('send no more than the pace that they are told', async () => {
    const { answers, ms } = await drive({ perSecond: 200, ms: 500 });
    expect(answers).to.be.above(0);
    expect((answers / ms) * 1000).to.be.at.most(300);
  });

  it('count what a request waits for a connection at a pace that is too fast', async () => {
    answer = (response, body) => setTimeout(() => reply(response, 200, body), 20);
    // Two connections have a hundred answers a second at the most.
    const { answers, ms, p99 } = await drive({ perSecond: 300, connections: 2, ms: 400 });
    expect((answers / ms) * 1000).to.be.below(130);
    expect(p99).to.be.above(100);
  });

  it('end with an answer of another status, wherever it comes', async () => {
    let left = 20;
    answer = (response, body) => {
      left -= 1;
      reply(response, left === 0 ? 503 : 200, body);
    };
    expect(await faultOf(drive())).to.include('An answer has status 503');
  });

  it('end with a failed item of a batch, and not with a batch without one', async () => {
    answer = (response) => reply(response, 200, '{"success":true,"data":{"summary":{"failed":0}}}');
    expect((await drive({ requests: BATCHES })).answers).to.be.above(10);
    answer = (response) => reply(response, 200, '{"success":true,"data":{"summary":{"failed":1}}}');
    expect(await faultOf(drive({ requests: BATCHES }))).to.include('"failed":1');
  });

  it('end with a connection that is closed, and can be asked again', async () => {
    answer = (response) => response.destroy();
    expect(await faultOf(drive())).to.include('The callers: ');
    answer = (response, body) => reply(response, 200, body);
    expect((await drive()).answers).to.be.above(10);
  });
});

describe('The limits of the bench', () => {
  it('are answers of the very bytes that the service gave', async () => {
    const bare = new AskedProcess<BareAnswer, BarePlace>('bare-server.ts');
    const head = 'HTTP/1.1 200 OK\r\nX-Some: a: b\r\nContent-Length: 7\r\nDate: then\r\nConnection: close\r\n\r\n';
    const { port } = await bare.ask({ tls: null, head, body: '{"a":1}' });
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}');
    expect(await text(socket)).to.equal(`${head}{"a":1}`);
    await bare.end();
  });

  it('are loops of the libraries, and a disk on which nothing is left', async () => {
    const raw = new AskedProcess<RawQuestion, RawRate>('raw-limits.ts');
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
    const ms = 30;
    for (const question of [
      { limit: 'libsodium', payloadBytes: 64, ms },
      { limit: 'libsecp256k1', ms },
      { limit: 'disk', folder, lineBytes: 100, group: 2, ms },
    ] as const) {
      expect((await raw.ask(question)).perSecond, question.limit).to.be.above(2);
    }
    expect(readdirSync(folder)).to.deep.equal([]);
    rmSync(folder, { recursive: true });
    expect(
      await faultOf(raw.ask({ limit: 'disk', folder: `${folder}/none`, lineBytes: 100, group: 2, ms })),
    ).to.include('ENOENT');
    await raw.end();
  });
});

async function faultOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
  } catch (error) {
    return String(error);
  }
  throw new Error('It should have ended with a fault.');
}
