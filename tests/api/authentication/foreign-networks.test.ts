import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import express from 'express';
import { NetworkList, type ServedNetworks } from '../../../src/adapters/http/callers/network-list.ts';
import { entryChecks } from '../../../src/adapters/http/middleware/entry-checks.ts';
import { TlsCertificate } from '../../../src/adapters/http/tls/tls-certificate.ts';
import { Listeners } from '../../../src/app/listeners.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import { RecordingMetrics } from '../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { closed, readResponse } from '../../harness/raw-client.ts';

const INSIDE = '127.0.0.2';
const OUTSIDE = '127.0.0.1';
const ASK = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

const QUIET = readSettings({ SIGNING_LOG_REQUESTS: 'false' });

/** Connections of the operators' listener. */
const MAX = 32;

describe('Peers outside the allowed networks', () => {
  let listeners: Listeners;
  let log: RecordingServiceLog;
  let port: number;
  let sockets: Socket[];

  async function start(networks: Partial<ServedNetworks> = {}, isTls = false): Promise<void> {
    log = new RecordingServiceLog();
    sockets = [];
    const served = { allowed: new NetworkList([INSIDE]), trustedProxies: null, ...networks };
    const certificate = () => new TlsCertificate(TEST_CERTIFICATE, new FixedClock(), log, 14);
    const tls = isTls ? { certificate: certificate(), clients: null } : null;
    const metrics = new RecordingMetrics();
    listeners = new Listeners({ tls, networks: served, metrics, log });
    const app = express().use(entryChecks({ ...QUIET, networks: served, metrics, log, traces: null }, new Set()));
    app.use((_request, response) => void response.json({ isServed: true }));
    port = Number(new URL(await listeners.open(app, { host: '0.0.0.0', port: 0 }, 'admin')).port);
  }
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await listeners.stop(0);
  });

  async function openFrom(localAddress: string): Promise<Socket> {
    const socket = connect({ host: '127.0.0.1', port, localAddress });
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  async function openMany(count: number, localAddress: string): Promise<readonly Socket[]> {
    const opened: Socket[] = [];
    for (let nth = 0; nth < count; nth += 1) opened.push(await openFrom(localAddress));
    return opened;
  }

  async function send(socket: Socket): ReturnType<typeof readResponse> {
    const response = readResponse(socket);
    socket.write(ASK);
    return response;
  }

  async function expectServed(): Promise<void> {
    expect((await send(await openFrom(INSIDE))).status).to.equal(200);
  }

  it('hold at most a quarter of the connections, and never lock out allowed peers', async () => {
    await start();
    const held = await openMany(MAX / 4, OUTSIDE);
    for (const socket of await openMany(MAX, OUTSIDE)) await closed(socket);
    await expectServed();
    for (const socket of held) expect(socket.destroyed).to.equal(false);
  });

  it('are logged once, not per closed connection', async () => {
    await start();
    for (const socket of await openMany(MAX / 4 + 3, OUTSIDE))
      if (sockets.indexOf(socket) >= MAX / 4) await closed(socket);
    const logged = log.events.filter(({ level }) => level === 'warn');
    expect(logged.map(({ facts }) => facts)).to.deep.equal([{ count: 1, closed: 1, lastAddress: OUTSIDE }]);
    expect(logged[0]?.message).to.include('Block them at the firewall');
  });

  it('do not include trusted proxies', async () => {
    await start({ trustedProxies: new NetworkList([OUTSIDE]) });
    const held = await openMany(MAX / 2, OUTSIDE);
    expectError(await send(held.at(-1) as Socket), 403, 'FORBIDDEN');
  });

  it('do not lock out allowed peers over HTTPS either', async () => {
    await start({}, true);
    await openMany(MAX / 4, OUTSIDE);
    for (const socket of await openMany(MAX, OUTSIDE)) await closed(socket);
    const socket = connectTls({ socket: await openFrom(INSIDE), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    expect((await send(socket)).status).to.equal(200);
    socket.destroy();
  });
});
