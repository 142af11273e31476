import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
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

  it('logs the first at once with limit and remedy, further ones together', async () => {
    warnAboutDroppedConnections(server, log);
    await open();
    expect(log.events).to.deep.equal([]);
    await openBeyond(1);
    expect(log.events.map(({ level, facts }) => [level, facts])).to.deep.equal([
      ['warn', { count: 1, dropped: 1, maxConnections: 1 }],
    ]);
    expect(log.events[0]?.message).to.include('reuse connections').and.include('replica');
    await openBeyond(3);
    log.flush();
    expect(log.events.map(({ facts }) => facts['dropped'])).to.deep.equal([1, 3]);
  });
});
