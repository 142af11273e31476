import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { NetworkList } from '../../../src/adapters/http/callers/network-list.ts';
import type { CertificateHeader } from '../../../src/adapters/http/tls/forwarded-certificate.ts';
import type { TlsFileNames } from '../../../src/adapters/http/tls/tls-files.ts';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData, expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import {
  exchange,
  exchangeUntilClosed,
  openSocket,
  openTls,
  postBytes,
  readResponse,
} from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { Authority, byteSequenceOf, escapedPemOf, sharedAuthorities } from '../../harness/test-authority.ts';
import { expectRefusal, fingerprintOf, useTrustFiles } from './trust-files.ts';

const SIGN_BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });
const HERE = new NetworkList(['127.0.0.1']);
const ELSEWHERE = new NetworkList(['10.9.9.9']);
const CALLER = '10.1.2.3';
const DAY_MS = 24 * 60 * 60 * 1000;

describe('Forwarded client certificates', () => {
  const { authority, another, bot } = sharedAuthorities();
  const files = useTrustFiles();
  let service: RunningService;
  afterEach(() => service.close());

  interface Start extends ServiceParts {
    readonly isListed?: boolean;
  }

  /** A service behind a proxy at 127.0.0.1. */
  async function start({ isListed = false, ...parts }: Start = {}): Promise<void> {
    files.trust(authority);
    service = await startService({
      clients: files.names(isListed),
      certificateHeader: 'client-cert',
      trustedProxies: HERE,
      ...parts,
    });
    // New certificates are already valid.
    service.clock.set(Date.now() + 60_000);
  }

  const signing = (...headers: readonly string[]) =>
    postBytes('/api/v1/sign', SIGN_BODY, [`X-Forwarded-For: ${CALLER}`, ...headers]);
  const sign = (...headers: readonly string[]) => exchange(service.port, signing(...headers));
  const clientCert = (...certificates: readonly Pick<TlsFileNames, 'certFile'>[]) =>
    certificates.map((certificate) => `Client-Cert: ${byteSequenceOf(certificate)}`);
  const lastPrincipal = () => service.records.entries.at(-1)?.principal;

  const forms: readonly (readonly [CertificateHeader, (certificate: TlsFileNames) => string])[] = [
    ['client-cert', (certificate) => `Client-Cert: ${byteSequenceOf(certificate)}`],
    ['x-ssl-client-cert', (certificate) => `X-SSL-Client-Cert: ${escapedPemOf(certificate)}`],
  ];
  for (const [certificateHeader, headerOf] of forms) {
    it(`name the caller in ${certificateHeader} from a trusted proxy, in the record and the limits`, async () => {
      await start({ certificateHeader });
      expectData(await sign(headerOf(bot)));
      expect(service.records.entries.at(-1)).to.include({
        event: 'sign',
        outcome: 'success',
        principal: 'bot-1',
        remoteAddress: CALLER,
      });
    });

    it(`are ignored in another header than ${certificateHeader}`, async () => {
      await start({ certificateHeader });
      for (const [name, otherHeaderOf] of forms) {
        if (name !== certificateHeader) expectRefusal(await sign(otherHeaderOf(bot)), 'FORWARDED_CERTIFICATE_MISSING');
      }
    });
  }

  it('are ignored from everyone but trusted proxies', async () => {
    await start({ trustedProxies: ELSEWHERE });
    expectRefusal(await sign(...clientCert(bot)), 'CLIENT_CERTIFICATE_REQUIRED');
    expect(lastPrincipal()).to.equal(null);
  });

  it('are required of a trusted proxy for all but health and documents', async () => {
    await start();
    const get = (path: string) => exchange(service.port, `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    for (const path of ['/api/v1/accounts', '/api/v1/status', '/metrics', '/nothing']) {
      expectRefusal(await get(path), 'FORWARDED_CERTIFICATE_MISSING');
    }
    for (const path of ['/healthz', '/readyz', '/openapi.json']) expect((await get(path)).status).to.equal(200);
    expectRefusal(await sign(), 'FORWARDED_CERTIFICATE_MISSING');
    expectRefusal(await sign('Client-Cert:'), 'FORWARDED_CERTIFICATE_MISSING');
    expectRefusal(await sign('Client-Cert: ::'), 'FORWARDED_CERTIFICATE_MISSING');
    expect(service.records.entries.at(-1)).to.include({ errorCode: 'UNAUTHENTICATED', remoteAddress: CALLER });
  });

  it('are rejected if malformed or repeated, and the connection of the proxy stays open', async () => {
    await start();
    const socket = await openSocket(service.port);
    const malformed = [
      ['Client-Cert: bot-1'],
      ['Client-Cert: :AAAA:'],
      [`Client-Cert: :${'A'.repeat(12_000)}:`],
      clientCert(bot, another),
    ];
    for (const headers of malformed) {
      const response = readResponse(socket);
      socket.write(signing(...headers));
      expectRefusal(await response, 'FORWARDED_CERTIFICATE_MALFORMED');
    }
    const response = readResponse(socket);
    socket.write(signing(...clientCert(bot)));
    expectData(await response);
    socket.destroy();
  });

  it('from another authority, self-signed, for another use or not valid yet are rejected, with a message', async () => {
    await start();
    const untrusted = 'CLIENT_CERTIFICATE_UNTRUSTED';
    const noIssuer = 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY';
    const foreign = await sign(...clientCert(another.issue('foreign', { name: '/CN=bot-1' })));
    expectRefusal(foreign, untrusted, noIssuer);
    expect(expectError(foreign, 401, 'UNAUTHENTICATED').message).to.include('not issued by a trusted certificate');
    expectRefusal(await sign(...clientCert(TEST_CERTIFICATE)), untrusted, noIssuer);
    const server = authority.issue('server', { name: '/CN=bot-1', use: 'serverAuth' });
    expectRefusal(await sign(...clientCert(server)), untrusted, 'INVALID_PURPOSE');
    service.clock.set(Date.now() - DAY_MS);
    expectRefusal(await sign(...clientCert(bot)), untrusted, 'CERT_NOT_YET_VALID');
  });

  it('are rejected once they expire, also after they were accepted', async () => {
    await start();
    expectData(await sign(...clientCert(bot)));
    service.clock.set(Date.parse(new X509Certificate(readFileSync(bot.certFile)).validTo) + 1000);
    expectRefusal(await sign(...clientCert(bot)), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CERT_HAS_EXPIRED');
  });

  it('may have intermediates, which are in the file', async () => {
    await start();
    const middle = new Authority(files.folder, 'middle', authority);
    const low = new Authority(files.folder, 'low', middle);
    const ofLow = clientCert(low.issue('of-low', { name: '/CN=bot-3' }));
    expectRefusal(await sign(...ofLow), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
    files.trust(authority, low, middle);
    service.clients?.reload('signal');
    expectData(await sign(...ofLow));
    expect(lastPrincipal()).to.equal('bot-3');
  });

  it('follow the watched fingerprint list and the authorities from the next request after a reload', async () => {
    const other = authority.issue('other', { name: '/CN=bot-2' });
    files.list(bot);
    await start({ isListed: true, watch: true });
    expectData(await sign(...clientCert(bot)));
    expectRefusal(await sign(...clientCert(other)), 'CLIENT_CERTIFICATE_NOT_LISTED');
    files.list(other);
    while (service.clients?.reloadReport.lastReload === null) await sleep(20);
    expectRefusal(await sign(...clientCert(bot)), 'CLIENT_CERTIFICATE_NOT_LISTED');
    expectData(await sign(...clientCert(other)));
    files.trust(another);
    service.clients?.reload('signal');
    expectRefusal(
      await sign(...clientCert(other)),
      'CLIENT_CERTIFICATE_UNTRUSTED',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    );
  });

  it("count failures by the caller's address, and keep valid callers of the address in", async () => {
    await start({ failures: { points: 3, windowSeconds: 60 } });
    for (let nth = 0; nth < 3; nth += 1) expectRefusal(await sign(), 'FORWARDED_CERTIFICATE_MISSING');
    const recorded = service.records.entries.length;
    expectError(await sign(), 429, 'RATE_LIMITED');
    expect(service.records.entries).to.have.length(recorded);
    expectData(await sign(...clientCert(bot)));
    const elsewhere = postBytes('/api/v1/sign', SIGN_BODY, ['X-Forwarded-For: 10.1.2.4']);
    expectRefusal(await exchange(service.port, elsewhere), 'FORWARDED_CERTIFICATE_MISSING');
  });

  it('are in the status, with their header, and in the metrics', async () => {
    await start();
    const head = ['GET /api/v1/status HTTP/1.1', 'Host: localhost', ...clientCert(bot), '', ''].join('\r\n');
    const { tls, forwardedCertificates } = expectData<{
      readonly tls: unknown;
      readonly forwardedCertificates: unknown;
    }>(await exchange(service.port, head));
    expect(tls).to.equal(null);
    expect(forwardedCertificates).to.include({ header: 'client-cert', authorities: 1, fingerprints: null });
    await exchangeUntilClosed(
      service.port,
      head.replace('/api/v1/status HTTP/1.1', '/metrics HTTP/1.1\r\nConnection: close'),
    );
    const shown = Object.keys(service.metrics.pages[0] ?? {}).filter((series) => series.startsWith('signing_tls_'));
    expect(shown).to.deep.equal([`signing_tls_client_ca_not_after_timestamp_seconds ${fingerprintOf(authority)}`]);
  });

  describe('over HTTPS', () => {
    async function exchangeOverTls(client: TlsFileNames | null, bytes: Buffer): Promise<ReceivedResponse> {
      const own = client === null ? {} : { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) };
      const socket = await openTls(service.port, own);
      const response = readResponse(socket);
      socket.write(bytes);
      try {
        return await response;
      } finally {
        socket.destroy();
      }
    }

    it('count if the proxy has a valid client certificate, whose name is never used', async () => {
      await start({ tls: TEST_CERTIFICATE });
      const proxy = authority.issue('proxy', { name: '/CN=proxy' });
      expectData(await exchangeOverTls(proxy, signing(...clientCert(bot))));
      expect(lastPrincipal()).to.equal('bot-1');
      expectRefusal(await exchangeOverTls(proxy, signing()), 'FORWARDED_CERTIFICATE_MISSING');
      expect(lastPrincipal()).to.equal(null);
    });

    it('are rejected from a proxy without a valid certificate, and its connection closes', async () => {
      await start({ tls: TEST_CERTIFICATE });
      const refused = 'PROXY_CERTIFICATE_REFUSED';
      const response = await exchangeOverTls(null, signing(...clientCert(bot)));
      expectRefusal(response, refused, 'CLIENT_CERTIFICATE_REQUIRED');
      expect(response.headers['connection']).to.equal('close');
      const foreign = another.issue('foreign-proxy', { name: '/CN=proxy' });
      expectRefusal(
        await exchangeOverTls(foreign, signing(...clientCert(bot))),
        refused,
        'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      );
      service.clock.set(Date.now() + 31 * DAY_MS);
      const proxy = authority.issue('late-proxy', { name: '/CN=proxy' });
      expectRefusal(await exchangeOverTls(proxy, signing(...clientCert(bot))), refused, 'CERT_HAS_EXPIRED');
    });

    it('leave direct connections as they are', async () => {
      await start({ tls: TEST_CERTIFICATE, trustedProxies: ELSEWHERE });
      const other = authority.issue('forged', { name: '/CN=bot-9' });
      expectData(await exchangeOverTls(bot, signing(...clientCert(other))));
      expect(lastPrincipal()).to.equal('bot-1');
    });
  });
});
