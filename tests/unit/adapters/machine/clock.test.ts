import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { checkClockOrder, checkClockReference, checkClockSync } from '../../../../src/adapters/machine/clock.ts';
import { issueOf, useTemporaryTree } from './fake-machine.ts';

const unavailable = () => Promise.reject(new Error('timedatectl is not there'));

describe('checkClockSync', () => {
  const tree = useTemporaryTree();
  const check = (query: () => Promise<string>) => checkClockSync(query, tree.path('synchronized'));

  it('passes when the system reports synchronization', async () => {
    expect(await check(async () => 'yes\n')).to.be.a('string');
  });

  it('warns with a remedy when the system reports none', async () => {
    tree.write({ synchronized: '' });
    const { state, remedy } = issueOf(await check(async () => 'no\n'));
    expect(state).to.equal('warning');
    expect(remedy).to.include('set-ntp').and.include('--clock-reference');
  });

  it('passes with the file of systemd-timesyncd when nothing can be queried', async () => {
    tree.write({ synchronized: '' });
    expect(await check(unavailable)).to.be.a('string');
  });

  it('warns when the state is unknown', async () => {
    for (const query of [unavailable, async () => '']) {
      const { state, message } = issueOf(await check(query));
      expect(state).to.equal('warning');
      expect(message).to.include('unknown');
    }
  });
});

const NOW = Date.parse('2026-11-20T12:00:00Z');
const at = (time: string) => ({ what: `the file of ${time} was written`, time: Date.parse(time) });

describe('checkClockOrder', () => {
  it('passes if the clock is at most a second before any known past time', () => {
    const [finding, ...others] = checkClockOrder([at('2026-11-20T12:00:01Z'), at('2020-01-01T00:00:00Z')], NOW);
    expect(finding).to.be.a('string');
    expect(others).to.deep.equal([]);
  });

  it('reports nothing without known past times', () => {
    expect(checkClockOrder([], NOW)).to.deep.equal([]);
  });

  it('fails if the clock is before one, naming each contradiction and the remedy', () => {
    const past = [at('2026-11-20T12:00:02Z'), at('2026-11-20T11:00:00Z'), at('2027-01-01T00:00:00Z')];
    const finding = issueOf(checkClockOrder(past, NOW)[0]);
    expect(finding.state).to.equal('fail');
    expect(finding.message)
      .to.include('the clock shows 2026-11-20T12:00:00.000Z')
      .and.include('the file of 2026-11-20T12:00:02Z was written at 2026-11-20T12:00:02.000Z')
      .and.include('2027-01-01T00:00:00.000Z')
      .and.not.include('11:00:00');
    expect(finding.remedy).to.include('NTP');
  });
});

describe('checkClockReference', () => {
  let server: Server;
  let result: RequestListener;

  before(async () => {
    server = createServer((request, response) => result(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const url = (user = '') => new URL(`http://${user}127.0.0.1:${(server.address() as AddressInfo).port}/`);

  /** The finding for a server clock `seconds` ahead. */
  function findAhead(seconds: number, status = 200) {
    result = (_request, response) => {
      response.sendDate = false;
      response.writeHead(status, { Date: new Date(NOW + seconds * 1000).toUTCString() }).end();
    };
    return checkClockReference(url(), () => NOW);
  }

  it('warns above a second, in either direction', async () => {
    const behind = issueOf(await findAhead(5));
    expect(behind.state).to.equal('warning');
    expect(behind.message).to.match(/^at least 5\.0 s behind 127\.0\.0\.1:\d+$/);
    const ahead = issueOf(await findAhead(-5));
    expect(ahead.state).to.equal('warning');
    expect(ahead.message).to.match(/^at least 4\.0 s ahead of 127\.0\.0\.1:\d+$/);
  });

  it('compensates for network latency', async () => {
    result = (_request, response) => response.writeHead(200, { Date: new Date(Date.now()).toUTCString() }).end();
    const times = [Date.now() - 30_000, Date.now() + 10_000];
    expect(await checkClockReference(url(), () => times.shift() ?? 0)).to.be.a('string');
  });

  it('warns about a server without date or response, and never shows a password', async () => {
    result = (_request, response) => {
      response.sendDate = false;
      response.end();
    };
    expect(issueOf(await checkClockReference(url())).message).to.include('without a date');
    result = (request) => request.socket.destroy();
    const finding = issueOf(await checkClockReference(url('user:hunter2@')));
    expect(finding.state).to.equal('warning');
    expect(finding.message).to.include('did not respond');
    expect(JSON.stringify(finding)).to.not.include('hunter2');
  });
});
