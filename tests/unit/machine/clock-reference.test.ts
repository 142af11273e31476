import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkClockReference } from '../../../src/machine/clock-reference.ts';

describe('checkClockReference', () => {
  let server: Server;
  let answer: RequestListener;

  before(async () => {
    server = createServer((request, response) => answer(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const url = () => new URL(`http://user:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}/`);

  /** What is found when the server's clock is `seconds` ahead of this machine's. */
  function findAhead(seconds: number, status = 200) {
    answer = (_request, response) => {
      response.sendDate = false;
      response.writeHead(status, { Date: new Date(Date.now() + seconds * 1000).toUTCString() }).end();
    };
    return checkClockReference(plainUrl());
  }

  const plainUrl = () => {
    const plain = url();
    plain.username = '';
    plain.password = '';
    return plain;
  };

  it('is content with a server whose clock is the same, whatever it answers', async () => {
    for (const status of [200, 302, 404, 500])
      expect((await findAhead(0, status)).state, String(status)).to.equal('ok');
  });

  it('warns of more than a second, in either direction', async () => {
    const behind = await findAhead(5);
    expect(behind.state).to.equal('warning');
    expect(behind.message).to.match(/^at least ([34]\.\d|5\.0) s behind 127\.0\.0\.1:\d+$/);
    const ahead = await findAhead(-5);
    expect(ahead.state).to.equal('warning');
    expect(ahead.message).to.match(/^at least [345]\.\d s ahead of 127\.0\.0\.1:\d+$/);
  });

  it('fails beyond 30 seconds', async () => {
    for (const seconds of [60, -60]) {
      const { state, remedy } = await findAhead(seconds);
      expect(state).to.equal('fail');
      expect(remedy).to.include('NTP');
    }
  });

  it('does not count the time on the way as a deviation', async () => {
    answer = (_request, response) => response.writeHead(200, { Date: new Date(Date.now()).toUTCString() }).end();
    const times = [Date.now() - 10_000, Date.now() + 10_000];
    expect((await checkClockReference(plainUrl(), () => times.shift() ?? 0)).state).to.equal('ok');
  });

  it('warns when the server has no date, or does not answer, and never shows a password', async () => {
    answer = (_request, response) => {
      response.sendDate = false;
      response.end();
    };
    expect((await checkClockReference(plainUrl())).message).to.include('without a date');
    answer = (request) => request.socket.destroy();
    const finding = await checkClockReference(url());
    expect(finding.state).to.equal('warning');
    expect(finding.message).to.include('did not answer');
    expect(JSON.stringify(finding)).to.not.include('hunter2');
  });
});
