import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { expect } from 'chai';
import type { TlsFileNames } from '../../../src/adapters/http/tls/tls-files.ts';
import { issueToken, signRequest } from '../../authentication/parties.ts';
import {
  CLIENT,
  clientClaims,
  startAuthenticatedService,
  AUTHORITY as TOKEN_AUTHORITY,
} from '../../harness/authenticated-service.ts';
import { TEST_CERTIFICATE } from '../../harness/certificates.ts';
import { expectData, expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { closed, openSocket, openTls, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, type ServiceParts, STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { Authority, sharedAuthorities } from '../../harness/test-authority.ts';
import { expectRefusal, fingerprintOf, useTrustFiles } from './trust-files.ts';

const SIGN_BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });
const SIGN = postBytes('/api/v1/sign', SIGN_BODY);
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
const DAY_MS = 24 * 60 * 60 * 1000;
const [MISSING, UNTRUSTED] = ['CLIENT_CERTIFICATE_REQUIRED', 'CLIENT_CERTIFICATE_UNTRUSTED'];
const NOT_LISTED = 'CLIENT_CERTIFICATE_NOT_LISTED';
const UNKNOWN_ISSUER = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';

describe('Client certificates', () => {
  const { authority, another, bot } = sharedAuthorities();
  const files = useTrustFiles();
  const { trust } = files;
  let service: RunningService;

  interface Start extends ServiceParts {
    readonly isListed?: boolean;
    readonly begin?: typeof startService;
  }

  async function start({ isListed = false, begin = startService, ...parts }: Start = {}): Promise<void> {
    trust(authority);
    service = await begin({ tls: TEST_CERTIFICATE, clients: files.names(isListed), ...parts });
    service.clock.set(Date.now());
  }
  afterEach(() => service.close());

  const reload = () => void service.clients?.reload('signal');

  function handshake(client: TlsFileNames | null, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const own = client === null ? {} : { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) };
    return openTls(service.port, { ...own, ...options });
  }

  async function send(socket: TLSSocket, bytes: string | Buffer = SIGN): Promise<ReceivedResponse> {
    const response = readResponse(socket);
    socket.write(bytes);
    return response;
  }

  /** The response on a new connection. */
  async function responseTo(client: TlsFileNames | null, bytes: string | Buffer = SIGN): Promise<ReceivedResponse> {
    const socket = await handshake(client);
    try {
      return await send(socket, bytes);
    } finally {
      socket.destroy();
    }
  }

  it('let their holder sign, with the certificate name in the audit record', async () => {
    await start();
    expectData(await responseTo(bot));
    expect(service.records.entries.at(-1)).to.include({ event: 'sign', outcome: 'success', principal: 'bot-1' });
  });

  it('are required on every path but health, known, unknown or undecodable', async () => {
    await start();
    for (const path of ['/api/v1/accounts', '/api/v1/accounts/alpha/main', '/api/v1/status']) {
      expectData(await responseTo(bot, get(path)));
      expectRefusal(await responseTo(null, get(path)), MISSING);
    }
    for (const path of ['/none', '/api/v1/accounts/%zz/x', '/%']) {
      expectError(await responseTo(bot, get(path)), 404, 'NOT_FOUND');
      expectRefusal(await responseTo(null, get(path)), MISSING);
    }
    for (const path of ['/healthz', '/readyz']) expectData(await responseTo(null, get(path)));
    expect((await responseTo(null, get('/none'))).headers['connection']).to.equal('close');
  });

  it('are checked before the body is read; a missing one closes the connection', async () => {
    await start();
    const socket = await handshake(null);
    const result = await send(
      socket,
      'POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{',
    );
    expectRefusal(result, MISSING);
    expect(result.headers['connection']).to.equal('close');
    await closed(socket);
  });

  it('from another authority, self-signed, for another use or expired are rejected, each with a message', async () => {
    await start();
    const foreign = another.issue('foreign', { name: '/CN=bot-1' });
    const server = authority.issue('server', { name: '/CN=bot-1', use: 'serverAuth' });
    const issued = 'not issued by a trusted certificate authority';
    expect(expectRefusal(await responseTo(foreign), UNTRUSTED, UNKNOWN_ISSUER)).to.include(issued);
    expect(expectRefusal(await responseTo(TEST_CERTIFICATE), UNTRUSTED, 'DEPTH_ZERO_SELF_SIGNED_CERT')).to.include(
      issued,
    );
    expect(expectRefusal(await responseTo(server), UNTRUSTED, 'INVALID_PURPOSE'))
      .to.include('not for TLS clients')
      .and.not.include('expired')
      .and.not.include('issued');
    service.clock.set(Date.now() + 31 * DAY_MS);
    expect(expectRefusal(await responseTo(bot), UNTRUSTED, 'CERT_HAS_EXPIRED'))
      .to.include('expired')
      .and.include('one of its authorities');
  });

  it('are rejected once they expire, also on open connections', async () => {
    await start();
    const socket = await handshake(bot);
    expectData(await send(socket));
    service.clock.set(Date.parse(new X509Certificate(readFileSync(bot.certFile)).validTo) + 1000);
    expectRefusal(await send(socket), UNTRUSTED, 'CERT_HAS_EXPIRED');
  });

  it('name their holder by URI, DNS name, e-mail address or common name, and are refused without one', async () => {
    await start();
    const names: readonly (readonly [name: string, alternativeNames: string | null, principal: string | null])[] = [
      ['/CN=ignored', 'DNS:host.example,URI:spiffe://desk/bot-1,email:bot@example.com', 'spiffe://desk/bot-1'],
      ['/CN=ignored', 'email:bot@example.com,DNS:host.example,DNS:other.example', 'host.example'],
      ['/CN=ignored', 'email:bot@example.com', 'bot@example.com'],
      ['/CN=Trading Bot 7', 'IP:10.0.0.1', 'Trading Bot 7'],
      ['/CN=a, DNS:b', null, 'a, DNS:b'],
      ['/CN=one/CN=two', null, null],
      ['/O=nobody', null, null],
      ['/CN=anonymous', null, null],
      ['/CN=ignored', 'DNS:*.example', null],
    ];
    for (const [index, [name, alternativeNames, principal]] of names.entries()) {
      const more = alternativeNames === null ? {} : { alternativeNames };
      const result = await responseTo(authority.issue(`named-${index}`, { name, ...more }));
      if (principal === null) expectRefusal(result, 'CLIENT_CERTIFICATE_UNNAMED');
      else expectData(result);
      expect(service.records.entries.at(-1)?.principal, `${name} ${alternativeNames}`).to.equal(principal);
    }
  });

  it('yield to the username of an access token, and identify callers without a token', async () => {
    await start({ begin: (parts) => startAuthenticatedService({ mode: 'optional', ...parts }) });
    const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
    const token = issueToken(TOKEN_AUTHORITY, { username: 'desk-1', publicKey: CLIENT.publicKey, expirationTime });
    const claims = clientClaims(service.clock.now(), { token });
    const proof = signRequest(CLIENT, claims, { method: 'POST', target: '/api/v1/sign', body: SIGN_BODY });
    const header = `Signing-Request-Auth: ${proof.toString('base64')}`;
    expectData(await responseTo(bot));
    expectData(await responseTo(bot, postBytes('/api/v1/sign', SIGN_BODY, [header])));
    expect(service.records.entries.map(({ principal }) => principal)).to.deep.equal(['bot-1', 'desk-1']);
  });

  it('may be restricted to listed fingerprints, of certificates that an authority issued', async () => {
    const foreign = another.issue('foreign', { name: '/CN=bot-1' });
    writeFileSync(files.fingerprintsFile, `# desk 1\n\n${fingerprintOf(bot)} # bot-1\r\n${fingerprintOf(foreign)}\n`);
    await start({ isListed: true });
    expectData(await responseTo(bot));
    const unlisted = authority.issue('unlisted', { name: '/CN=bot-1' });
    expectRefusal(await responseTo(unlisted), NOT_LISTED);
    expectRefusal(await responseTo(foreign), UNTRUSTED, UNKNOWN_ISSUER);
  });

  it('are rejected once removed from the fingerprint list, whose connections end', async () => {
    const other = authority.issue('other', { name: '/CN=bot-2' });
    files.list(bot, other);
    await start({ isListed: true });
    const [removed, listed] = [await handshake(bot), await handshake(other)];
    for (const socket of [removed, listed]) expectData(await send(socket));
    const begun = await openSocket(service.port);
    writeFileSync(files.fingerprintsFile, `${fingerprintOf(other).toLowerCase().replaceAll(':', '')}\n`);
    reload();
    await closed(removed);
    expectRefusal(await responseTo(bot), NOT_LISTED);
    expectData(await send(listed));
    // A handshake that began before is judged by the list in force at its end.
    expectRefusal(await send(await handshake(bot, { socket: begun })), NOT_LISTED);
    listed.destroy();
  });

  it('of a new authority are accepted after a reload; connections of a removed one end', async () => {
    await start();
    const [used, unused, anonymous] = [await handshake(bot), await handshake(bot), await handshake(null)];
    expectData(await send(used));
    trust(another);
    reload();
    for (const socket of [used, unused]) await closed(socket);
    expectData(await responseTo(another.issue('moved', { name: '/CN=bot-1' })));
    expectRefusal(await responseTo(bot), UNTRUSTED, UNKNOWN_ISSUER);
    expectData(await send(anonymous, get('/healthz')));
    anonymous.destroy();
  });

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`of an authority that is removed during the handshake are rejected: ${version}`, async () => {
      await start();
      // Holds back what the client sends after its first flight.
      const held: (() => void)[] = [];
      const proxy = createServer((client) => {
        const upstream = connect(service.port, '127.0.0.1');
        upstream.pipe(client);
        client.once('data', (hello) => {
          upstream.write(hello);
          client.pause();
          upstream.once('data', () => held.push(() => client.pipe(upstream)));
        });
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const socket = await openSocket((proxy.address() as AddressInfo).port);
      const ended = handshake(bot, { socket, minVersion: version, maxVersion: version });
      while (held.length === 0) await sleep(1);
      trust(another);
      reload();
      for (const release of held) release();
      expectRefusal(await send(await ended), UNTRUSTED, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
      socket.destroy();
      proxy.close();
    });
  }

  it('of an authority that another of the same name replaces end their connections', async () => {
    await start();
    const open = await handshake(bot);
    expectData(await send(open));
    trust(new Authority(mkdtempSync(join(files.folder, 'same-')), 'authority'));
    reload();
    await closed(open);
  });

  it('of a removed authority end a connection after the response in progress, and no later request is read', async () => {
    await start();
    const socket = await handshake(bot);
    const hasBegun = once(service.server, 'request');
    socket.write(SIGN.subarray(0, -5));
    await hasBegun;
    trust(another);
    reload();
    const response = await send(socket, Buffer.concat([SIGN.subarray(-5), SIGN]));
    expectData(response);
    expect(response.headers['connection']).to.equal('close');
    await closed(socket);
    expect(service.records.entries).to.have.length(1);
  });

  it('of a removed authority stay rejected when the service certificate is renewed', async () => {
    const tls = { certFile: join(files.folder, 'tls.crt'), keyFile: join(files.folder, 'tls.key') };
    copyFileSync(TEST_CERTIFICATE.certFile, tls.certFile);
    copyFileSync(TEST_CERTIFICATE.keyFile, tls.keyFile);
    await start({ tls });
    trust(another);
    reload();
    service.clock.advance(1);
    expect(service.tls?.reload('signal')).to.equal(true);
    expectRefusal(await responseTo(bot), UNTRUSTED, UNKNOWN_ISSUER);
    expectData(await responseTo(another.issue('moved', { name: '/CN=bot-1' })));
  });

  it('of intermediate authorities need their certificate in the chain, and connect again once an authority is removed', async () => {
    const desk = new Authority(files.folder, 'desk', authority);
    const own = desk.issue('of-desk', { name: '/CN=bot-3' });
    const chained = { ...own, certFile: join(files.folder, 'chain.crt') };
    writeFileSync(chained.certFile, Buffer.concat([readFileSync(own.certFile), readFileSync(desk.certFile)]));
    files.list(own);
    await start({ isListed: true });
    expectRefusal(await responseTo(own), UNTRUSTED, UNKNOWN_ISSUER);
    const open = await handshake(chained);
    expectData(await send(open));
    expect(service.records.entries.at(-1)?.principal).to.equal('bot-3');
    files.list(own, bot);
    reload();
    expectData(await send(open));
    trust(authority, another);
    reload();
    expectData(await send(open));
    trust(authority);
    reload();
    await closed(open);
    expectRefusal(await responseTo(chained), UNTRUSTED, 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY');
    service.clock.advance(20_000);
    expectData(await responseTo(chained));
  });

  it('keep working if their files become invalid, and status and log report it', async () => {
    await start();
    writeFileSync(files.caFile, 'nothing');
    reload();
    service.clients?.reload('retry');
    expectData(await responseTo(bot));
    const status = expectData(await responseTo(bot, get('/api/v1/status')));
    const { clientCertificates } = status['tls'] as {
      clientCertificates: { lastReload: { outcome: string; message: string } };
    };
    expect(clientCertificates).to.include({ authorities: 1, fingerprints: null, loadedAt: STARTED_AT });
    expect(clientCertificates.lastReload.outcome).to.equal('failed');
    expect(clientCertificates.lastReload.message).to.include('SIGNING_TLS_CLIENT_CA_FILE').and.include(files.caFile);
    expect(service.log.events.filter(({ level }) => level === 'error')).to.have.lengthOf(1);
    trust(authority);
    service.clients?.reload('retry');
    expect(service.log.events.at(-1)?.message).to.include('certificates loaded');
  });
});
