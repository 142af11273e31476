import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { warnAboutDroppedConnections } from '../../../../../src/adapters/http/connections/connection-limits.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

describe('warnAboutDroppedConnections', () => {
  let server: Server;
  let log: RecordingServiceLog;
  let sockets: Socket[];

  beforeEach(async () => {
    log = new RecordingServiceLog();
    sockets = [];
    server = createServer();
    server.maxConnections = 1;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  async function open(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }

  async function openBeyond(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += 1) {
      const dropped = once(server, 'drop');
      await open();
      await dropped;
    }
  }

  it('logs the first at once with limit and remedy, further ones together, and stops if no more follow', async () => {
    const intervalMs = 50;
    warnAboutDroppedConnections(server, log, intervalMs);
    await open();
    expect(log.events).to.deep.equal([]);
    await openBeyond(1);
    expect(log.events.map(({ level, facts }) => [level, facts])).to.deep.equal([
      ['warn', { count: 1, dropped: 1, maxConnections: 1 }],
    ]);
    expect(log.events[0]?.message).to.include('reuse connections').and.include('replica');
    await openBeyond(3);
    while (log.events.reduce((sum, { facts }) => sum + Number(facts['dropped']), 0) < 4) await sleep(10);
    const logged = log.events.length;
    expect(logged).to.be.greaterThan(1);
    await sleep(2 * intervalMs);
    expect(log.events).to.have.lengthOf(logged);
  });
});
