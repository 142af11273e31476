import { once } from 'node:events';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { NetworkList } from '../../../src/adapters/http/callers/network-list.ts';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData, expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import {
  closed,
  collect,
  exchange,
  openSocket,
  postBytes,
  readResponse,
  statusesOf,
} from '../../harness/raw-client.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const SIGN = postBytes('/api/v1/sign', JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }));

const MIB = 2 ** 20;
/** Bytes that come with the head, or wait in the streams of the service, when it responds. */
const SLACK = 256 * 1024;
const CHUNK = Buffer.from(`10000\r\n${' '.repeat(65_536)}\r\n`);
const ELSEWHERE = new NetworkList(['192.0.2.0/24']);

const LENGTH = `Content-Length: ${2 ** 30}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const JSON_TYPE = 'Content-Type: application/json\r\n';

function head(line: string, ...headers: readonly string[]): string {
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`;
}

/** A request whose response does not depend on its body. */
interface Case {
  readonly name: string;
  readonly first: string;
  readonly status: number;
  /** Bytes that the service may read; default {@link SLACK}. */
  readonly max?: number;
  readonly start?: () => Promise<RunningService>;
}

const CASES: readonly Case[] = [
  { name: 'an unknown path', first: head('POST /nothing', LENGTH), status: 404 },
  { name: 'another method of a page', first: head('POST /docs', CHUNKED), status: 405 },
  { name: 'a length over the limit', first: head('POST /api/v1/sign', JSON_TYPE, LENGTH), status: 413 },
  {
    name: 'chunks over the limit',
    first: head('POST /api/v1/sign', JSON_TYPE, CHUNKED),
    ...{ status: 413, max: MIB + SLACK },
  },
  { name: 'a request of a web page', first: head('POST /api/v1/sign', 'Origin: null\r\n', CHUNKED), status: 403 },
  {
    name: 'a caller of another network',
    first: head('POST /api/v1/sign', LENGTH),
    status: 403,
    start: () => startService({ allowedNetworks: ELSEWHERE }),
  },
  {
    name: 'a caller without authentication',
    first: head('POST /api/v1/sign', JSON_TYPE, CHUNKED),
    status: 401,
    start: () => startAuthenticatedService(),
  },
  {
    name: 'a caller over its rate limit',
    first: head('GET /api/v1/accounts', LENGTH),
    status: 429,
    start: async () => {
      const service = await startService({ perCaller: { points: 1, windowSeconds: 1000 } });
      expectData(await exchange(service.port, head('GET /api/v1/accounts')));
      return service;
    },
  },
  {
    name: 'an overloaded service',
    first: head('POST /api/v1/sign', JSON_TYPE, CHUNKED),
    status: 503,
    start: () => startService({ maxQueue: 0 }),
  },
  { name: 'bytes that are not a request', first: 'nonsense\r\n\r\n', status: 400 },
  { name: 'a GET of accounts, in chunks', first: head('GET /api/v1/accounts', CHUNKED), status: 200 },
  {
    name: 'an unknown path over HTTPS',
    first: head('POST /nothing', LENGTH),
    status: 404,
    start: () => startService({ tls: TEST_CERTIFICATE }),
  },
];

describe('The rest of a body behind a response', () => {
  const service = useNewService();
  afterEach(() => mock.timers.reset());

  async function open(): Promise<{ readonly socket: Socket; readonly served: Socket }> {
    const accepted = once(service.server, 'connection') as Promise<[Socket]>;
    if (service.tls === null) return { socket: await openSocket(service.port), served: (await accepted)[0] };
    const socket = connectTls({ host: '127.0.0.1', port: service.port, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return { socket: socket.on('error', () => undefined), served: (await accepted)[0] };
  }

  /** Writes as fast as the service reads. */
  function push(socket: Socket, first: string): void {
    const write = () => {
      while (!socket.destroyed && socket.write(CHUNK));
    };
    socket.write(first);
    socket.on('drain', write);
    write();
  }

  /** As many turns as the service needs to read several MiB: it reads in each, 64 KiB or more. */
  async function turns(): Promise<void> {
    for (let count = 0; count < 100; count += 1) await nextTurn();
  }

  for (const { name, first, status, max = SLACK, start } of CASES) {
    it(`is not read, and the caller gets the whole response: ${name}`, async () => {
      if (start !== undefined) await restartAs(service, start());
      const { socket, served } = await open();
      const response: Promise<ReceivedResponse> = readResponse(socket);
      push(socket, first);
      expect((await response).status).to.equal(status);
      await turns();
      expect(served.bytesRead).to.be.below(max);
      expect((await response).headers['connection']).to.equal('close');
      socket.destroy();
    });
  }

  it('is not read while the record of the refusal is written', async () => {
    const audit = new DelayingAuditSink();
    await restartAs(service, startService({ adapters: { sink: audit } }));
    const { socket, served } = await open();
    const response = readResponse(socket);
    push(socket, head('POST /api/v1/sign', JSON_TYPE, CHUNKED));
    while (audit.waiting.length === 0) await sleep(1);
    await turns();
    expect(served.bytesRead).to.be.below(MIB + SLACK);
    audit.succeed();
    expectError(await response, 413, 'REQUEST_TOO_LARGE');
    socket.destroy();
  });

  it('is cut off soon, even if the caller goes on sending', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { socket } = await open();
    const response = readResponse(socket);
    push(socket, head('POST /nothing', CHUNKED));
    expectError(await response, 404, 'NOT_FOUND');
    mock.timers.tick(1000);
    await closed(socket);
  });

  it('hides a request behind it, which is not served', async () => {
    const { socket } = await open();
    const received = collect(socket);
    const response = readResponse(socket);
    socket.write(head('POST /nothing', 'Content-Length: 2\r\n'));
    expectError(await response, 404, 'NOT_FOUND');
    socket.write(Buffer.concat([Buffer.from('{}'), SIGN]));
    await closed(socket);
    expect(statusesOf(received())).to.deep.equal([404]);
    expect(service.records.entries).to.deep.equal([]);
  });

  it('does not exist if the body came with its head: the connection stays usable', async () => {
    const { socket } = await open();
    for (const line of ['POST /nothing', 'PUT /api/v1/sign', 'GET /api/v1/status', 'POST /api/v1/sign']) {
      const response = readResponse(socket);
      socket.write(`${head(line, 'Content-Length: 20\r\n')}${' '.repeat(20)}`);
      expect((await response).headers['connection']).to.equal('keep-alive');
    }
    const response = readResponse(socket);
    socket.write(SIGN);
    expectData(await response);
    socket.destroy();
  });
});
