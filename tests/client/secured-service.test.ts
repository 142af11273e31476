import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as forward, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect } from 'chai';
import {
  NetworkError,
  ServiceError,
  SigningClient,
  type SigningClientOptions,
  type TlsOptions,
  UntrustedAnswerError,
} from '../../src/client/client.ts';
import { TIME_WINDOW_MS } from '../../src/domain/model/authentication.ts';
import { issueToken, TestKey } from '../authentication/parties.ts';
import { bytesField, readBytesFields } from '../authentication/wire.ts';
import { until } from '../redis/until.ts';
import { caughtAs } from './caught.ts';
import { refusal, refusalOfProxy, ScriptedServer, SIGNED } from './scripted-server.ts';
import { type SecuredService, startSecuredService } from './secured-service.ts';

const DESK = { platformId: 'desk', accountId: 'main', data: { side: 'buy', amount: '1' } };

/** A response in transit. */
interface ResponseInTransit {
  readonly status: number;
  readonly header: string | undefined;
  readonly body: Buffer;
}

describe('SigningClient with client certificates and access tokens', function () {
  this.timeout(30_000);
  let secured: SecuredService;
  const clients: SigningClient[] = [];

  const { now } = Date;
  before(async () => {
    secured = await startSecuredService();
    // Without Redis the service rejects requests made before it started, give or take the window.
    Date.now = () => now() + TIME_WINDOW_MS + 1000;
    await until(async () => expect(await clientWith().accounts().catch(String)).to.include({ total: 1 }));
  });
  after(() => {
    Date.now = now;
    return secured.place.remove();
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });

  function clientWith(options: Partial<SigningClientOptions> = {}): SigningClient {
    const { service, tls, authentication } = secured;
    const adminUrl = service.adminUrl ?? '';
    const client = new SigningClient({ url: service.url, adminUrl, tls, authentication, ...options });
    clients.push(client);
    return client;
  }

  it('signs and reads accounts, authenticated on both sides', async () => {
    const client = clientWith({ verifySignatures: 'always', expectedPayloads: { desk: 'jcs' } });
    expect((await client.sign(DESK)).verified).to.equal(true);
    expect((await client.accounts()).total).to.equal(1);
    expect((await client.accountPage({ limit: 10, platformId: 'desk' })).nextCursor).to.equal(null);
    const { publicKey } = await client.account(DESK);
    const pinned = clientWith({ pinnedKeys: { 'desk/main': publicKey } });
    const { results } = await pinned.signBatch([{ requestId: '1', ...DESK }]);
    expect(results[0]).to.include({ status: 'success', verified: true });
  });

  it("reads status and reloads through the operators' listener only", async () => {
    const client = clientWith();
    expect((await client.status()).status).to.equal('healthy');
    expect((await client.reload()).accountCount).to.equal(1);
    const { service } = secured;
    await caughtAs(ServiceError, clientWith({ adminUrl: service.url }).status()).then(({ code }) =>
      expect(code).to.equal('NOT_FOUND'),
    );
  });

  it('is identified by its token, and receives signed refusals', async () => {
    const error = await caughtAs(ServiceError, clientWith().sign({ ...DESK, accountId: 'nobody' }));
    expect(error.code).to.equal('ACCOUNT_NOT_FOUND');
    const record = readFileSync(secured.place.path('audit.jsonl'), 'utf8').match(/^.*"accountId":"nobody".*$/m)?.[0];
    expect(JSON.parse(record ?? '{}').principal).to.equal('desk-1');
  });

  it('reports a missing or unknown token with the claimed error', async () => {
    const bare = new SigningClient({ url: secured.service.url, tls: secured.tls });
    clients.push(bare);
    const none = await caughtAs(ServiceError, bare.sign(DESK));
    expect(none.code).to.equal('UNAUTHENTICATED');
    expect(none.details['reason']).to.equal('AUTHENTICATION_REQUIRED');

    const stranger = new TestKey(0x77);
    const token = issueToken(stranger, {
      username: 'x',
      publicKey: stranger.publicKey,
      expirationTime: '2099-01-01T00:00:00Z',
    });
    const own = { privateKey: stranger.seed.toString('hex'), token: token.toString('base64') };
    const wrong = await caughtAs(
      UntrustedAnswerError,
      clientWith({ authentication: { ...secured.authentication, ...own } }).sign(DESK),
    );
    expect(wrong.reason).to.equal('UNSIGNED');
    expect(wrong.claimed?.code).to.equal('UNAUTHENTICATED');
    expect(wrong.message).to.include('UNKNOWN_AUTHORITY');
  });

  it('rejects a response signed by another service', async () => {
    const serviceKey = new TestKey(0x78).publicKey.toString('hex');
    const error = await caughtAs(
      UntrustedAnswerError,
      clientWith({ authentication: { ...secured.authentication, serviceKey } }).sign(DESK),
    );
    expect(error.message).to.include('WRONG_SERVICE');
  });

  it('rejects a response token of an unknown authority', async () => {
    const authorityKeys = [new TestKey(0x79).publicKey.toString('hex')];
    const error = await caughtAs(
      UntrustedAnswerError,
      clientWith({ authentication: { ...secured.authentication, authorityKeys } }).sign(DESK),
    );
    expect(error).to.include({ reason: 'UNKNOWN_AUTHORITY', mayHaveBeenDone: true, claimed: null });
    const both = [...authorityKeys, ...secured.authentication.authorityKeys];
    await clientWith({ authentication: { ...secured.authentication, authorityKeys: both } }).sign(DESK);
  });

  it('sends nothing to a server with an untrusted certificate or a mismatched name', async () => {
    const { ca, ...own } = secured.tls;
    const wrong = {
      'self-signed certificate': own,
      'self-signed certificate ': { ...own, ca: { file: secured.place.path('clients.crt') } },
      "Hostname/IP does not match certificate's altnames": { ...own, ca, serverName: 'elsewhere.internal' },
    };
    for (const [message, tls] of Object.entries(wrong)) {
      const attempts: number[] = [];
      const client = clientWith({ tls: tls as TlsOptions, onAttempt: ({ attempt }) => attempts.push(attempt) });
      const error = await caughtAs(NetworkError, client.sign(DESK));
      expect(error.message).to.include(message.trim());
      expect(error.mayHaveBeenDone).to.equal(false);
      expect(attempts).to.deep.equal([1]);
    }
  });

  it('is refused without a certificate', async () => {
    const { ca } = secured.tls;
    const error = await caughtAs(UntrustedAnswerError, clientWith({ tls: { ca } as never }).sign(DESK));
    expect(error.claimed?.details['reason']).to.equal('CLIENT_CERTIFICATE_REQUIRED');
  });

  describe('with a man in the middle', () => {
    let between: Server;
    let url: string;
    let change: (result: ResponseInTransit) => Partial<ResponseInTransit>;

    before(async () => {
      const { place, service, tls } = secured;
      const own = { cert: readFileSync(place.path('service.crt')), key: readFileSync(place.path('service.key')) };
      const bot = { cert: readFileSync(place.path('bot.crt')), key: tls.key as string, ca: own.cert };
      const agent = new Agent({ keepAlive: false });
      between = createServer(own, async (request, response) => {
        const body = await buffer(request);
        const to = { ...bot, agent, method: request.method ?? 'GET', headers: request.headers };
        const sent = forward(`${service.url}${request.url}`, to, async (result) => {
          const came: ResponseInTransit = {
            status: result.statusCode ?? 0,
            header: result.headers['signing-response-auth'] as string | undefined,
            body: await buffer(result),
          };
          const passing = { ...came, ...change(came) };
          response.writeHead(passing.status, {
            'Content-Type': 'application/json',
            'X-Correlation-Id': 'x',
            ...(passing.header !== undefined && { 'Signing-Response-Auth': passing.header }),
          });
          response.end(passing.body);
        });
        sent.end(body);
      });
      await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
      url = `https://127.0.0.1:${(between.address() as AddressInfo).port}`;
    });
    after(() => {
      between.closeAllConnections();
      between.close();
    });

    const fields = (header: string | undefined) =>
      [...readBytesFields(Buffer.from(header ?? '', 'base64')).values()] as [Buffer, Buffer, Buffer];
    const message = (...values: readonly Buffer[]) =>
      Buffer.concat(values.map((value, index) => bytesField(index + 1, value))).toString('base64');
    const flipped = (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (index === 7 ? byte ^ 1 : byte)));

    const changes: { readonly [name: string]: readonly [string, typeof change] } = {
      'without a signature': ['UNSIGNED', () => ({ header: undefined })],
      'with another body': [
        'INVALID_SIGNATURE',
        ({ body }) => ({ body: Buffer.from(body.toString().replace('"signedAt":"2', '"signedAt":"3')) }),
      ],
      'with another status': ['INVALID_SIGNATURE', () => ({ status: 201 })],
      'with another nonce': [
        'WRONG_NONCE',
        ({ header }) => {
          const [token, nonce, signature] = fields(header);
          return { header: message(token, flipped(nonce), signature) };
        },
      ],
      'with another signature': [
        'INVALID_SIGNATURE',
        ({ header }) => {
          const [token, nonce, signature] = fields(header);
          return { header: message(token, nonce, flipped(signature)) };
        },
      ],
      'with another token': [
        'UNKNOWN_AUTHORITY',
        ({ header }) => {
          const [token, nonce, signature] = fields(header);
          return { header: message(flipped(token), nonce, signature) };
        },
      ],
      'with the token of a client': [
        'WRONG_SERVICE',
        ({ header }) => {
          const [, nonce, signature] = fields(header);
          const token = Buffer.from(readFileSync(secured.place.path('desk-1.token'), 'utf8').trim(), 'base64');
          return { header: message(token, nonce, signature) };
        },
      ],
      'with invalid base64': ['MALFORMED', ({ header }) => ({ header: `${header}*` })],
      'with half of the message': ['MALFORMED', ({ header }) => ({ header: header?.slice(0, 100) })],
      'with an extra field': [
        'MALFORMED',
        ({ header }) => ({
          header: Buffer.concat([Buffer.from(header ?? '', 'base64'), bytesField(4, 'x')]).toString('base64'),
        }),
      ],
      'with other bytes': ['MALFORMED', () => ({ header: createHash('sha512').digest('base64') })],
    };
    for (const [name, [reason, alter]] of Object.entries(changes)) {
      it(`rejects the response without a retry: ${name}`, async () => {
        let passed = 0;
        change = (result) => {
          passed += 1;
          return alter(result);
        };
        const error = await caughtAs(UntrustedAnswerError, clientWith({ url }).sign(DESK));
        expect(error.reason).to.equal(reason);
        expect(error.mayHaveBeenDone).to.equal(true);
        expect(passed).to.equal(1);
      });
    }

    it('accepts an unmodified response', async () => {
      change = () => ({});
      expect((await clientWith({ url, verifySignatures: 'always' }).sign(DESK)).verified).to.equal(true);
    });

    it('rejects the response to another request', async () => {
      let kept: ResponseInTransit | undefined;
      change = (result) => {
        kept ??= result;
        return kept;
      };
      const client = clientWith({ url });
      await client.sign(DESK);
      expect((await caughtAs(UntrustedAnswerError, client.sign(DESK))).reason).to.equal('WRONG_NONCE');
    });
  });

  describe('with an unsigned refusal', () => {
    const server = new ScriptedServer();
    before(() => server.listen());
    after(() => server.close());

    it('signs each attempt anew and trusts no unsigned response', async () => {
      const { authentication } = secured;
      const retry = { baseDelayMs: 1 };
      const client = new SigningClient({ url: server.url, authentication, retry });
      clients.push(client);
      // Over plain HTTP, a man in the middle can deny that the request was executed.
      server.play(refusal(503, 'OVERLOADED', {}, { 'Retry-After': '0' }));
      const busy = await caughtAs(UntrustedAnswerError, client.sign(DESK));
      expect(busy.claimed?.code).to.equal('OVERLOADED');
      expect(server.seen).to.have.lengthOf(1);
      server.play(refusalOfProxy(503, 'OVERLOADED', { 'Retry-After': '0' }));
      await caughtAs(UntrustedAnswerError, client.account(DESK));
      const proofs = server.seen.map(({ headers }) => headers['signing-request-auth']);
      expect(new Set(proofs).size).to.equal(3);
      server.play(SIGNED);
      expect((await caughtAs(UntrustedAnswerError, client.sign(DESK))).reason).to.equal('UNSIGNED');
    });
  });
});
