import { expect } from 'chai';
import request from 'supertest';
import { NetworkList } from '../../../src/adapters/http/callers/network-list.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { closed, exchange, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const BODY = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const ELSEWHERE = new NetworkList(['192.0.2.0/24']);
const HERE = new NetworkList(['127.0.0.0/8']);

describe('Allowed networks', () => {
  let service: RunningService;

  async function start(parts: ServiceParts = {}): Promise<void> {
    service = await startService(parts);
  }
  afterEach(() => service.close());

  const sign = (forwarded?: string) => {
    const sent = request(`http://127.0.0.1:${service.port}`).post('/api/v1/sign');
    return (forwarded === undefined ? sent : sent.set('X-Forwarded-For', forwarded)).send(BODY);
  };

  function expectForbidden(response: Parameters<typeof expectError>[0]): void {
    expect(expectError(response, 403, 'FORBIDDEN').details).to.deep.equal({ reason: 'NETWORK_NOT_ALLOWED' });
  }

  for (const path of ['/api/v1/sign', '/api/v1/status', '/healthz', '/metrics', '/docs', '/openapi.json', '/nothing']) {
    it(`reject other callers on ${path}`, async () => {
      await start({ allowedNetworks: ELSEWHERE });
      expectForbidden(await request(`http://127.0.0.1:${service.port}`).get(path));
      expectForbidden(await request(`http://127.0.0.1:${service.port}`).post(path));
    });
  }

  it('are checked before a body is read: the response does not wait for it, and the connection closes', async () => {
    await start({ allowedNetworks: ELSEWHERE });
    const socket = await openSocket(service.port);
    const response = readResponse(socket);
    socket.write('POST /api/v1/sign HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n{');
    const result = await response;
    expectForbidden(result);
    expect(result.headers['connection']).to.equal('close');
    await closed(socket);
    expect(service.records.entries).to.deep.equal([]);
  });

  it('log rejected addresses once, not per request', async () => {
    await start({ allowedNetworks: ELSEWHERE });
    for (let count = 0; count < 3; count += 1) await sign();
    const logged = service.log.events.filter(({ level }) => level === 'warn');
    expect(logged.map(({ facts }) => facts)).to.deep.equal([{ count: 1, refused: 1, lastAddress: '127.0.0.1' }]);
    expect(logged[0]?.message).to.include('SIGNING_ALLOWED_NETWORKS').and.include('SIGNING_TRUSTED_PROXIES');
  });

  describe('and proxies', () => {
    it('are ignored unless they are trusted, also within the default networks', async () => {
      await start();
      expectData(await sign('192.0.2.7'));
      expect(service.records.entries.at(-1)?.remoteAddress).to.equal('127.0.0.1');
      await service.close();
      await start({ allowedNetworks: ELSEWHERE });
      expectForbidden(await sign('192.0.2.7'));
    });

    it('determine the client address if trusted', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: HERE });
      expectData(await sign('192.0.2.7'));
      expect(service.records.entries.at(-1)?.remoteAddress).to.equal('192.0.2.7');
      expectForbidden(await sign('198.51.100.1'));
    });

    it('are trusted for the address they append, not for those they received', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: HERE });
      expectForbidden(await sign('192.0.2.7, 198.51.100.1'));
      expectData(await sign('198.51.100.1, 192.0.2.7'));
      expect(service.records.entries.at(-1)?.remoteAddress).to.equal('192.0.2.7');
    });

    it('may be chained', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: new NetworkList(['127.0.0.0/8', '10.0.0.0/8']) });
      expectData(await sign('192.0.2.7, 10.1.2.3'));
      expect(service.records.entries.at(-1)?.remoteAddress).to.equal('192.0.2.7');
    });

    it('are not callers: their own requests are served only from an allowed network', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: HERE });
      expectForbidden(await sign());
    });

    for (const forwarded of ['fe80::1%eth0', 'unknown', '192.0.2.7:4711']) {
      it(`get 403 FORBIDDEN when they forward ${JSON.stringify(forwarded)}`, async () => {
        // The address's network is allowed, so that only the zone is rejected.
        await start({ allowedNetworks: new NetworkList(['192.0.2.0/24', 'fe80::/10']), trustedProxies: HERE });
        expectForbidden(await sign(forwarded));
        expectData(await sign('fe80::1'));
      });
    }

    it('get a response to malformed requests from their callers', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: HERE });
      expectError(await exchange(service.port, 'nonsense\r\n\r\n'), 400, 'INVALID_DATA_FORMAT');
    });

    it('are trusted only in X-Forwarded-For, not in other headers', async () => {
      await start({ allowedNetworks: ELSEWHERE, trustedProxies: HERE });
      const headers = ['X-Real-IP: 192.0.2.7', 'Forwarded: for=192.0.2.7', 'X-Client-IP: 192.0.2.7'];
      expectForbidden(await exchange(service.port, postBytes('/api/v1/sign', JSON.stringify(BODY), headers)));
    });
  });
});
