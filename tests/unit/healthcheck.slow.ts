import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';

const HEALTHCHECK = fileURLToPath(new URL('../../src/healthcheck.js', import.meta.url));
const READY = JSON.stringify({ success: true, data: { status: 'ready', checks: { keys: { ok: true } }, facts: {} } });

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function runHealthcheck(settings: { readonly [name: string]: string }): Promise<Ended> {
  const child = spawn(process.execPath, [HEALTHCHECK], {
    env: { PATH: process.env['PATH'], ...settings },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return String((server.address() as AddressInfo).port);
}

describe('healthcheck', () => {
  let server: Server | undefined;

  afterEach(async () => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    closing.closeAllConnections();
    await new Promise((resolve) => closing.close(resolve));
  });

  async function checkAgainst(listener: RequestListener): Promise<Ended> {
    server = createServer(listener);
    return runHealthcheck({ SIGNING_PORT: await listen(server) });
  }

  it('exits 0 without output when the service is ready', async () => {
    const requested: string[] = [];
    const ended = await checkAgainst((request, response) => {
      requested.push(`${request.method} ${request.url}`);
      response.end(READY);
    });
    expect(ended).to.deep.equal({ exitCode: 0, stdout: '', stderr: '' });
    expect(requested).to.deep.equal(['GET /readyz']);
  });

  it('uses https when a certificate is configured, including a self-signed one', async () => {
    server = createTlsServer(
      { key: readFileSync(TEST_CERTIFICATE.keyFile), cert: readFileSync(TEST_CERTIFICATE.certFile) },
      (_request, response) => {
        response.end(READY);
      },
    );
    const ended = await runHealthcheck({
      SIGNING_PORT: await listen(server),
      SIGNING_TLS_CERT_FILE: '/run/tls/cert.pem',
    });
    expect(ended).to.deep.equal({ exitCode: 0, stdout: '', stderr: '' });
  });

  const unhealthy: readonly (readonly [what: string, listener: RequestListener, line: RegExp])[] = [
    [
      'that it is not ready',
      (_request, response) => {
        response.statusCode = 503;
        const checks = { keys: { ok: true }, audit: { ok: false, detail: 'full' }, draining: { ok: false } };
        response.end(
          JSON.stringify({ success: false, error: { code: 'NOT_READY', message: '', details: { checks } } }),
        );
      },
      /returned HTTP status 503: not ready \(audit, draining\)$/,
    ],
    [
      'another status',
      (_request, response) => {
        response.end(JSON.stringify({ success: true, data: { status: 'alive' } }));
      },
      /did not report that it is ready$/,
    ],
    [
      'JSON null',
      (_request, response) => {
        response.end('null');
      },
      /did not report that it is ready$/,
    ],
    ['nothing at all', () => undefined, /failed: no complete response within 2000 ms$/],
    [
      'an endless response',
      (_request, response) => {
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      /failed: the response is too long$/,
    ],
    [
      'a broken connection',
      (request) => {
        request.socket.destroy();
      },
      /failed: ECONNRESET$/,
    ],
  ];

  for (const [what, listener, line] of unhealthy) {
    it(`exits 1 with one line when the response is ${what}`, async () => {
      const ended = await checkAgainst(listener);
      expect(ended.exitCode).to.equal(1);
      expect(ended.stdout).to.equal('');
      expect(ended.stderr).to.match(/^unhealthy: http:\/\/127\.0\.0\.1:\d+\/readyz.*\n$/);
      expect(ended.stderr.trimEnd()).to.match(line);
    });
  }

  it('exits 1 without a listener', async () => {
    server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    const ended = await runHealthcheck({ SIGNING_PORT: port });
    expect(ended.exitCode).to.equal(1);
    expect(ended.stderr).to.equal(`unhealthy: http://127.0.0.1:${port}/readyz failed: ECONNREFUSED\n`);
  });

  it('exits 1 when the service speaks http and https is configured', async () => {
    server = createServer((_request, response) => {
      response.end(READY);
    });
    const ended = await runHealthcheck({
      SIGNING_PORT: await listen(server),
      SIGNING_TLS_CERT_FILE: '/run/tls/cert.pem',
    });
    expect(ended.exitCode).to.equal(1);
    expect(ended.stderr).to.match(/^unhealthy: https:.* failed: .+\n$/);
  });

  it('names the setting of a port that is none', async () => {
    for (const port of ['http', '65536']) {
      const stderr = 'unhealthy: SIGNING_PORT is not a port number (1 to 65535)\n';
      expect(await runHealthcheck({ SIGNING_PORT: port })).to.deep.equal({ exitCode: 1, stdout: '', stderr });
    }
  });
});
