import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
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
import { closed, postBytes, readResponse } from '../../harness/raw-client.ts';
import { type RunningService, STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { Authority } from '../../harness/test-authority.ts';

const SIGN_BODY = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });
const SIGN = postBytes('/api/v1/sign', SIGN_BODY);
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

describe('Client certificates', () => {
  let folder: string;
  let authority: Authority;
  let another: Authority;
  let bot: TlsFileNames;
  let files: { readonly caFile: string; readonly fingerprintsFile: string };
  let service: RunningService;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-clients-'));
    authority = new Authority(folder, 'authority');
    another = new Authority(folder, 'another');
    bot = authority.issue('bot', { name: '/CN=bot-1' });
    files = { caFile: join(folder, 'ca.pem'), fingerprintsFile: join(folder, 'fingerprints.txt') };
  });
  after(() => rmSync(folder, { recursive: true }));

  async function start(withFingerprints = false): Promise<void> {
    copyFileSync(authority.certFile, files.caFile);
    const clients = { caFile: files.caFile, fingerprintsFile: withFingerprints ? files.fingerprintsFile : null };
    service = await startService({ tls: TEST_CERTIFICATE, clients });
    service.clock.set(Date.now());
  }
  afterEach(() => service.close());

  function handshake(client: TlsFileNames | null, options: ConnectionOptions = {}): Promise<TLSSocket> {
    const own = client === null ? {} : { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) };
    return new Promise((resolve, reject) => {
      const all = { host: '127.0.0.1', port: service.port, rejectUnauthorized: false, ...own, ...options };
      const socket = connect(all, () => {
        socket.removeListener('error', reject);
        socket.on('error', () => undefined);
        resolve(socket);
      });
      socket.once('error', reject);
    });
  }

  async function send(socket: TLSSocket, bytes: string | Buffer): Promise<ReceivedResponse> {
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

  function expectRefusal(response: ReceivedResponse, reason: string, problem?: string): void {
    const { details } = expectError(response, 401, 'UNAUTHENTICATED');
    expect(details).to.deep.equal(problem === undefined ? { reason } : { reason, problem });
    expect(response.headers['www-authenticate']).to.be.a('string');
  }

  function fingerprintOf({ certFile }: TlsFileNames): string {
    return new X509Certificate(readFileSync(certFile)).fingerprint256;
  }

  it('let their holder sign, with the certificate name in the audit record', async () => {
    await start();
    expectData(await responseTo(bot));
    expect(service.records.entries.at(-1)).to.include({ event: 'sign', outcome: 'success', principal: 'bot-1' });
  });

  it('are required on unknown and undecodable paths', async () => {
    await start();
    for (const path of ['/none', '/api/v1/accounts/%zz/x', '/%']) {
      expectRefusal(await responseTo(null, get(path)), 'CLIENT_CERTIFICATE_REQUIRED');
      expectError(await responseTo(bot, get(path)), 404, 'NOT_FOUND');
    }
  });

  it('let holders sign after repeated failures at the same address without one', async () => {
    copyFileSync(authority.certFile, files.caFile);
    const clients = { caFile: files.caFile, fingerprintsFile: null };
    const failures = { points: 3, windowSeconds: 60 };
    service = await startService({ tls: TEST_CERTIFICATE, clients, failures });
    service.clock.set(Date.now());
    for (let nth = 0; nth < 3; nth += 1) expectRefusal(await responseTo(null), 'CLIENT_CERTIFICATE_REQUIRED');
    const recorded = service.records.entries.length;
    for (let nth = 0; nth < 3; nth += 1) expectError(await responseTo(null), 429, 'RATE_LIMITED');
    expect(service.records.entries).to.have.length(recorded);
    expectData(await responseTo(bot));
  });

  const paths = ['/api/v1/accounts', '/api/v1/accounts/alpha/main', '/api/v1/status'];
  for (const path of paths) {
    it(`are required on ${path}`, async () => {
      await start();
      expectData(await responseTo(bot, get(path)));
      expectRefusal(await responseTo(null, get(path)), 'CLIENT_CERTIFICATE_REQUIRED');
    });
  }

  it('are required to sign, verify and reload, and a missing one is recorded', async () => {
    await start();
    for (const path of ['/api/v1/sign', '/api/v1/sign/batch', '/api/v1/verify', '/api/v1/config/reload']) {
      expectRefusal(await responseTo(null, postBytes(path, '{}')), 'CLIENT_CERTIFICATE_REQUIRED');
    }
    expect(
      service.records.entries.map(({ event, errorCode, principal }) => [event, errorCode, principal]),
    ).to.deep.equal(['sign', 'sign', 'verify', 'reload'].map((event) => [event, 'UNAUTHENTICATED', null]));
  });

  it('are not required for health', async () => {
    await start();
    expectData(await responseTo(null, get('/healthz')));
    expectData(await responseTo(null, get('/readyz')));
  });

  it('are checked before the body is read; a missing one closes the connection', async () => {
    await start();
    const socket = await handshake(null);
    const response = readResponse(socket);
    socket.write('POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{');
    const result = await response;
    expectRefusal(result, 'CLIENT_CERTIFICATE_REQUIRED');
    expect(result.headers['connection']).to.equal('close');
    await closed(socket);
  });

  it('from another authority, self-signed, for another use or expired are rejected', async () => {
    await start();
    const untrusted = 'CLIENT_CERTIFICATE_UNTRUSTED';
    const foreign = another.issue('foreign', { name: '/CN=bot-1' });
    expectRefusal(await responseTo(foreign), untrusted, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expectRefusal(await responseTo(TEST_CERTIFICATE), untrusted, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    const server = authority.issue('server', { name: '/CN=bot-1', use: 'serverAuth' });
    expectRefusal(await responseTo(server), untrusted, 'INVALID_PURPOSE');
    service.clock.set(Date.now() + 31 * 24 * 60 * 60 * 1000);
    expectRefusal(await responseTo(bot), untrusted, 'CERT_HAS_EXPIRED');
  });

  it('are rejected with a message for each reason', async () => {
    await start();
    const messageTo = async (client: TlsFileNames) =>
      expectError(await responseTo(client), 401, 'UNAUTHENTICATED').message;
    expect(await messageTo(another.issue('foreign-2', { name: '/CN=bot-1' }))).to.include(
      'not issued by a trusted certificate authority',
    );
    expect(await messageTo(TEST_CERTIFICATE)).to.include('not issued by a trusted certificate authority');
    const server = authority.issue('server-2', { name: '/CN=bot-1', use: 'serverAuth' });
    expect(await messageTo(server))
      .to.include('not for TLS clients')
      .and.not.include('expired')
      .and.not.include('issued');
    const open = await handshake(bot);
    copyFileSync(another.certFile, files.caFile);
    service.clients?.reload();
    const { message } = expectError(await send(open, SIGN), 401, 'UNAUTHENTICATED');
    expect(message).to.include('Open a new connection').and.not.include('expired');
    service.clock.set(Date.now() + 31 * 24 * 60 * 60 * 1000);
    const late = await responseTo(another.issue('late', { name: '/CN=bot-1' }));
    expect(expectError(late, 401, 'UNAUTHENTICATED').message)
      .to.include('expired')
      .and.include('one of its authorities');
  });

  it('are rejected once they expire, also on open connections', async () => {
    await start();
    const socket = await handshake(bot);
    expectData(await send(socket, SIGN));
    service.clock.set(Date.parse(new X509Certificate(readFileSync(bot.certFile)).validTo) + 1000);
    expectRefusal(await send(socket, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CERT_HAS_EXPIRED');
  });

  const names: readonly (readonly [subject: string, alternativeNames: string | undefined, principal: string | null])[] =
    [
      ['/CN=ignored', 'DNS:host.example,URI:spiffe://desk/bot-1,email:bot@example.com', 'spiffe://desk/bot-1'],
      ['/CN=ignored', 'email:bot@example.com,DNS:host.example,DNS:other.example', 'host.example'],
      ['/CN=ignored', 'email:bot@example.com', 'bot@example.com'],
      ['/CN=Trading Bot 7', 'IP:10.0.0.1', 'Trading Bot 7'],
      ['/CN=one/CN=two', undefined, null],
      ['/O=nobody', undefined, null],
      ['/CN=*', undefined, null],
      ['/CN=ignored', 'DNS:*.example', null],
      ['/CN=anonymous', undefined, null],
      ['/CN=a"b', undefined, null],
      ['/CN=a, DNS:b', undefined, 'a, DNS:b'],
      [`/CN=${'é'.repeat(4)}`, undefined, null],
    ];
  for (const [index, [name, alternativeNames, principal]] of names.entries()) {
    it(`identify ${principal ?? 'nobody'} by ${name}${alternativeNames === undefined ? '' : ` and ${alternativeNames}`}`, async () => {
      await start();
      const more = alternativeNames === undefined ? {} : { alternativeNames };
      const result = await responseTo(authority.issue(`named-${index}`, { name, ...more }));
      if (principal === null) return expectRefusal(result, 'CLIENT_CERTIFICATE_UNNAMED');
      expectData(result);
      expect(service.records.entries.at(-1)?.principal).to.equal(principal);
    });
  }

  it('yield to the username of an access token, and identify callers without a token', async () => {
    copyFileSync(authority.certFile, files.caFile);
    const clients = { caFile: files.caFile, fingerprintsFile: null };
    service = await startAuthenticatedService({ mode: 'optional', tls: TEST_CERTIFICATE, clients });
    service.clock.set(Date.now());
    const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
    const token = issueToken(TOKEN_AUTHORITY, { username: 'desk-1', publicKey: CLIENT.publicKey, expirationTime });
    const claims = clientClaims(service.clock.now(), { token });
    const proof = signRequest(CLIENT, claims, { method: 'POST', target: '/api/v1/sign', body: SIGN_BODY });
    const header = `Signing-Request-Auth: ${proof.toString('base64')}`;
    expectData(await responseTo(bot, SIGN));
    expectData(await responseTo(bot, postBytes('/api/v1/sign', SIGN_BODY, [header])));
    expect(service.records.entries.map(({ principal }) => principal)).to.deep.equal(['bot-1', 'desk-1']);
  });

  it('may be restricted to listed fingerprints: others are rejected', async () => {
    writeFileSync(files.fingerprintsFile, `# desk 1\n\n${fingerprintOf(bot)} # bot-1\r\n`);
    await start(true);
    expectData(await responseTo(bot));
    const unlisted = authority.issue('unlisted', { name: '/CN=bot-1' });
    expectRefusal(await responseTo(unlisted), 'CLIENT_CERTIFICATE_NOT_LISTED');
  });

  it('are rejected if listed but not issued by an authority', async () => {
    const foreign = another.issue('foreign-listed', { name: '/CN=bot-1' });
    writeFileSync(files.fingerprintsFile, `${fingerprintOf(foreign)}\n`);
    await start(true);
    expectRefusal(await responseTo(foreign), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it('are rejected on open connections once another authority of the same name replaces theirs', async () => {
    await start();
    const open = await handshake(bot);
    expectData(await send(open, SIGN));
    const folderOfSame = mkdtempSync(join(folder, 'same-'));
    copyFileSync(new Authority(folderOfSame, 'authority').certFile, files.caFile);
    service.clients?.reload();
    expectRefusal(await send(open, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CONNECT_AGAIN');
  });

  it('of intermediate authorities stay valid when the fingerprint list changes', async () => {
    const desk = new Authority(folder, 'desk-3', authority);
    const { certFile, keyFile } = desk.issue('of-desk-3', { name: '/CN=bot-5' });
    const chained = { certFile: join(folder, 'chain-3.crt'), keyFile };
    writeFileSync(chained.certFile, Buffer.concat([readFileSync(certFile), readFileSync(desk.certFile)]));
    writeFileSync(files.fingerprintsFile, `${fingerprintOf({ certFile, keyFile })}\n`);
    await start(true);
    const open = await handshake(chained);
    expectData(await send(open, SIGN));
    writeFileSync(files.fingerprintsFile, `${fingerprintOf({ certFile, keyFile })}\n${fingerprintOf(bot)}\n`);
    service.clients?.reload();
    expectData(await send(open, SIGN));
    open.destroy();
  });

  it('are rejected once removed from the fingerprint list, also on open connections', async () => {
    const other = authority.issue('other', { name: '/CN=bot-2' });
    writeFileSync(files.fingerprintsFile, `${fingerprintOf(bot)}\n${fingerprintOf(other)}\n`);
    await start(true);
    const sockets = [await handshake(bot), await handshake(other)] as const;
    for (const socket of sockets) expectData(await send(socket, SIGN));
    writeFileSync(files.fingerprintsFile, `${fingerprintOf(other).toLowerCase().replaceAll(':', '')}\n`);
    service.clients?.reload();
    expectRefusal(await send(sockets[0], SIGN), 'CLIENT_CERTIFICATE_NOT_LISTED');
    expectData(await send(sockets[1], SIGN));
    sockets[1].destroy();
  });

  it('of a new authority are accepted after a reload; those of the old one are rejected', async () => {
    await start();
    const open = await handshake(bot);
    expectData(await send(open, SIGN));
    const unused = await handshake(bot);
    copyFileSync(another.certFile, files.caFile);
    service.clients?.reload();
    expectData(await responseTo(another.issue('moved', { name: '/CN=bot-1' })));
    expectRefusal(await send(open, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CONNECT_AGAIN');
    expectRefusal(await send(unused, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CONNECT_AGAIN');
    expectRefusal(await responseTo(bot), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });

  it('stay valid on open connections when another authority is added', async () => {
    await start();
    const open = await handshake(bot);
    expectData(await send(open, SIGN));
    writeFileSync(files.caFile, Buffer.concat([readFileSync(another.certFile), readFileSync(authority.certFile)]));
    service.clients?.reload();
    expectData(await send(open, SIGN));
    open.destroy();
  });

  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    it(`are rejected in sessions resumed from before the reload (${maxVersion})`, async () => {
      await start();
      const first = await handshake(bot, { maxVersion });
      expectData(await send(first, SIGN));
      const session = first.getSession();
      const resumed = await handshake(bot, { maxVersion, session });
      expect(resumed.isSessionReused()).to.equal(true);
      expectData(await send(resumed, SIGN));
      copyFileSync(another.certFile, files.caFile);
      service.clients?.reload();
      const refused = await handshake(bot, { maxVersion, session });
      expectRefusal(await send(refused, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
      first.destroy();
      resumed.destroy();
    });
  }

  it('cannot be replaced on an open connection (renegotiation, TLS 1.2)', async () => {
    await start();
    const forged = new Authority(folder, 'forger').issue('forged', { name: '/CN=ops' });
    const socket = await handshake(bot, { maxVersion: 'TLSv1.2' });
    const ended = closed(socket);
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once('close', () => resolve(true));
      socket.renegotiate({ rejectUnauthorized: false }, (error) => error === null && resolve(false));
    });
    expect(isRefused).to.equal(true);
    await ended;
    expectRefusal(await responseTo(forged), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expectData(await responseTo(bot));
  });

  it('of a removed authority stay rejected when the service certificate is renewed', async () => {
    const tls = { certFile: join(folder, 'tls.crt'), keyFile: join(folder, 'tls.key') };
    copyFileSync(TEST_CERTIFICATE.certFile, tls.certFile);
    copyFileSync(TEST_CERTIFICATE.keyFile, tls.keyFile);
    copyFileSync(authority.certFile, files.caFile);
    service = await startService({ tls, clients: { caFile: files.caFile, fingerprintsFile: null } });
    service.clock.set(Date.now());
    copyFileSync(another.certFile, files.caFile);
    service.clients?.reload();
    service.clock.advance(1);
    expect(service.tls?.reload()).to.equal(true);
    expectRefusal(await responseTo(bot), 'CLIENT_CERTIFICATE_UNTRUSTED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expectData(await responseTo(another.issue('moved-on', { name: '/CN=bot-1' })));
  });

  it('of intermediate authorities require a new connection only if an authority was removed', async () => {
    await start();
    const desk = new Authority(folder, 'desk-2', authority);
    const { certFile, keyFile } = desk.issue('of-desk-2', { name: '/CN=bot-4' });
    const chained = { certFile: join(folder, 'chain-2.crt'), keyFile };
    writeFileSync(chained.certFile, Buffer.concat([readFileSync(certFile), readFileSync(desk.certFile)]));
    const both = Buffer.concat([readFileSync(authority.certFile), readFileSync(another.certFile)]);
    const open = await handshake(chained);
    expectData(await send(open, SIGN));
    writeFileSync(files.caFile, both);
    service.clients?.reload();
    expectData(await send(open, SIGN));
    writeFileSync(files.caFile, readFileSync(authority.certFile));
    service.clients?.reload();
    expectRefusal(await send(open, SIGN), 'CLIENT_CERTIFICATE_UNTRUSTED', 'CONNECT_AGAIN');
    service.clock.advance(1);
    expectData(await responseTo(chained));
  });

  it('of an intermediate authority are accepted with its certificate in the chain', async () => {
    await start();
    const desk = new Authority(folder, 'desk', authority);
    const { certFile, keyFile } = desk.issue('of-desk', { name: '/CN=bot-3' });
    const chain = join(folder, 'chain.crt');
    writeFileSync(chain, Buffer.concat([readFileSync(certFile), readFileSync(desk.certFile)]));
    expectData(await responseTo({ certFile: chain, keyFile }));
    expect(service.records.entries.at(-1)?.principal).to.equal('bot-3');
    expectRefusal(
      await responseTo({ certFile, keyFile }),
      'CLIENT_CERTIFICATE_UNTRUSTED',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    );
  });

  it('keep working if their files become invalid, and status and log report it', async () => {
    await start();
    writeFileSync(files.caFile, 'nothing');
    service.clients?.reload();
    service.clients?.retryReload();
    expectData(await responseTo(bot));
    const status = expectData(await responseTo(bot, get('/api/v1/status')));
    const { clientCertificates } = status['tls'] as {
      clientCertificates: { lastReload: { outcome: string; message: string } };
    };
    expect(clientCertificates).to.include({ authorities: 1, fingerprints: null, loadedAt: STARTED_AT });
    expect(clientCertificates.lastReload.outcome).to.equal('failed');
    expect(clientCertificates.lastReload.message).to.include('SIGNING_TLS_CLIENT_CA_FILE').and.include(files.caFile);
    expect(service.log.events.filter(({ level }) => level === 'error')).to.have.lengthOf(1);
    copyFileSync(authority.certFile, files.caFile);
    service.clients?.retryReload();
    expect(service.log.events.at(-1)?.message).to.include('certificates loaded');
  });
});
