import { copyFileSync, readFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { type Answer, type ServiceHere, Workplace } from '../harness/service-process.ts';
import { ShippedNginx } from '../harness/shipped-nginx.ts';
import { Authority, byteSequenceOf, escapedPemOf } from '../harness/test-authority.ts';
import { freePort } from '../programs/free-port.ts';
import { describeWithProgram } from './describe-with-program.ts';

const SINGLE = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };
/** Another address than nginx has. */
const CALLER = '127.0.0.2';
const CALLERS = 'ssl_client_certificate /etc/nginx/tls/clients-ca.crt;';

const TRANSPORTS = ['http', 'https'] as const;
for (const transport of TRANSPORTS) {
  describeWithProgram(
    `Client certificates through nginx, which connects by ${transport}`,
    'nginx',
    'apt-get install nginx-light',
    () => {
      const place = new Workplace();
      let authority: Authority;
      let bot: TlsFileNames;
      let service: ServiceHere;
      let nginx: ShippedNginx;
      /** Connections stay open, also through changes. */
      const agents = new Map<TlsFileNames | null, Agent>();

      before(async () => {
        authority = new Authority(place.folder, 'authority');
        bot = authority.issue('bot', { name: '/CN=bot-1' });
        copyFileSync(authority.certFile, place.path('ca.pem'));
        const port = await freePort();
        Object.assign(place.environment, {
          SIGNING_PORT: String(port),
          SIGNING_TRUSTED_PROXIES: '127.0.0.1',
          SIGNING_TLS_CLIENT_CA_FILE: place.path('ca.pem'),
          SIGNING_TLS_CLIENT_CERT_HEADER: 'x-ssl-client-cert',
          ...(transport === 'https' && {
            SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile,
            SIGNING_TLS_KEY_FILE: TEST_CERTIFICATE.keyFile,
          }),
        });
        await place.prepare('init');
        await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
        await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
        nginx = await startNginx(port);
      });
      after(async () => {
        for (const agent of agents.values()) agent.destroy();
        await nginx.end();
        await place.remove();
      });
      afterEach(() => service.stop());

      async function startNginx(replicaPort: number): Promise<ShippedNginx> {
        const proxy = authority.issue('proxy', { name: '/CN=proxy' });
        const { certFile } = TEST_CERTIFICATE;
        const encrypted = [
          ...['proxy_ssl_verify on;', `proxy_ssl_trusted_certificate ${certFile};`, 'proxy_ssl_name localhost;'],
          ...[`proxy_ssl_certificate ${proxy.certFile};`, `proxy_ssl_certificate_key ${proxy.keyFile};`],
        ].join(' ');
        const there = {
          ...{ program: 'nginx', folder: place.path('nginx'), port: await freePort() },
          replicaPorts: [replicaPort, replicaPort] as const,
          changes: [
            [`# ${CALLERS}`, `ssl_client_certificate ${authority.certFile};`],
            ['# ssl_verify_client optional;', 'ssl_verify_client optional;'],
            ['# ssl_verify_depth 3;', 'ssl_verify_depth 3;'],
            ...(transport === 'https'
              ? ([
                  ['proxy_pass http://', 'proxy_pass https://'],
                  ['proxy_http_version 1.1;', `proxy_http_version 1.1; ${encrypted}`],
                ] as const)
              : []),
          ] as const,
        };
        ShippedNginx.check(there);
        return ShippedNginx.start(there);
      }

      async function startService(more: { readonly [name: string]: string } = {}): Promise<void> {
        Object.assign(place.environment, more);
        service = await place.startHere();
      }

      function agentOf(client: TlsFileNames | null): Agent {
        const known = agents.get(client);
        if (known !== undefined) return known;
        const own = client === null ? {} : { cert: readFileSync(client.certFile), key: readFileSync(client.keyFile) };
        const agent = new Agent({
          keepAlive: true,
          maxSockets: 1,
          rejectUnauthorized: false,
          localAddress: CALLER,
          ...own,
        });
        agents.set(client, agent);
        return agent;
      }

      /** A request through nginx. */
      async function call(
        client: TlsFileNames | null,
        path: string,
        headers: RequestOptions['headers'] = {},
        body?: object,
      ): Promise<Answer> {
        const content = body === undefined ? '' : JSON.stringify(body);
        const options: RequestOptions = {
          ...{ host: '127.0.0.1', port: nginx.port, path, agent: agentOf(client) },
          method: body === undefined ? 'GET' : 'POST',
          headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        };
        return new Promise((done, fail) => {
          const sent = request(options, async (response) => {
            done({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) });
          });
          sent.on('error', fail).end(content);
        });
      }

      const sign = (client: TlsFileNames | null, headers?: RequestOptions['headers']) =>
        call(client, '/api/v1/sign', headers, SINGLE);

      const lastRecord = () =>
        JSON.parse(readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? '');

      function expectRefusal({ status, body }: Answer, reason: string): void {
        expect([status, body.error?.code, body.error?.details.reason]).to.deep.equal([401, 'UNAUTHENTICATED', reason]);
      }

      it('name the caller in the audit record, with its own address', async () => {
        await startService();
        expect((await sign(bot)).status).to.equal(200);
        expect(lastRecord()).to.include({ event: 'sign', principal: 'bot-1', remoteAddress: CALLER });
        const { body } = await call(bot, '/api/v1/status');
        expect(body.data.forwardedCertificates).to.include({ header: 'x-ssl-client-cert', authorities: 1 });
      });

      it('cannot be forged by a header of the client, with or without a certificate', async () => {
        await startService();
        const other = authority.issue('other', { name: '/CN=bot-2' });
        const forged = {
          'X-SSL-Client-Cert': escapedPemOf(other),
          X_SSL_Client_Cert: escapedPemOf(other),
          'Client-Cert': byteSequenceOf(other),
        };
        expect((await sign(bot, forged)).status).to.equal(200);
        expect(lastRecord()).to.include({ principal: 'bot-1' });
        expectRefusal(await sign(null, forged), 'FORWARDED_CERTIFICATE_MISSING');
        expect(lastRecord()).to.include({ outcome: 'refused', principal: null });
      });

      it('are rejected by nginx if they expired or have another issuer', async () => {
        await startService();
        expectRefusal(await sign(authority.issueExpired('expired', '/CN=bot-1', bot)), 'CLIENT_CERTIFICATE_UNTRUSTED');
        const another = new Authority(place.folder, 'another');
        expectRefusal(await sign(another.issue('foreign', { name: '/CN=bot-1' })), 'CLIENT_CERTIFICATE_UNTRUSTED');
      });

      it('are rejected by the service at once if their authority is removed there, on open connections', async () => {
        await startService();
        expect((await sign(bot)).status).to.equal(200);
        copyFileSync(new Authority(place.folder, 'next').certFile, place.path('ca.pem'));
        await service.reload();
        // Over HTTPS, the certificate of nginx has the same authority.
        const reason = transport === 'https' ? 'PROXY_CERTIFICATE_REFUSED' : 'CLIENT_CERTIFICATE_UNTRUSTED';
        expectRefusal(await sign(bot), reason);
        copyFileSync(authority.certFile, place.path('ca.pem'));
      });
    },
  );
}
