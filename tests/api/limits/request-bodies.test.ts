import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { closed, exchange, openSocket, postBytes, readResponse } from '../../harness/raw-client.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { useService } from '../../harness/use-service.ts';

const LIMIT = 1_048_576;
const GOOD = JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A });

const CHUNKED_HEAD =
  'POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** A valid request, padded with white space to so many bytes. */
function padded(bytes: number): string {
  return GOOD + ' '.repeat(bytes - GOOD.length);
}

describe('Request bodies', () => {
  const service = useService();

  const post = (body: string | Buffer, ...headers: string[]) =>
    exchange(service.port, postBytes('/api/v1/sign', body, headers));

  const postAs = (contentType: string | undefined, body = GOOD) => {
    const type = contentType === undefined ? [] : [`Content-Type: ${contentType}`];
    const head = ['POST /api/v1/sign HTTP/1.1', 'Host: localhost', ...type, `Content-Length: ${body.length}`];
    return exchange(service.port, `${head.join('\r\n')}\r\n\r\n${body}`);
  };

  /** In two chunks. */
  const postChunked = (body: string) => {
    const half = Math.floor(body.length / 2);
    const chunks = [body.slice(0, half), body.slice(half)].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);
    return exchange(service.port, `${CHUNKED_HEAD}${chunks.join('')}0\r\n\r\n`);
  };

  describe('up to 1 MB (1,048,576 bytes)', () => {
    it('are accepted at the limit', async () => {
      expectData(await post(padded(LIMIT)));
    });

    it('are rejected one byte over it', async () => {
      const { details } = expectError(await post(padded(LIMIT + 1)), 413, 'REQUEST_TOO_LARGE');
      expect(details).to.deep.equal({ limitBytes: LIMIT });
    });

    it('are rejected by their declared length, before they are sent', async () => {
      const head = 'POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
      const response = await exchange(service.port, `${head}Content-Length: 99999999999\r\n\r\n`);
      expectError(response, 413, 'REQUEST_TOO_LARGE');
    });
  });

  describe('in chunks', () => {
    it('are read', async () => {
      expectData(await postChunked(GOOD));
      expectData(await postChunked(padded(LIMIT)));
    });

    it('are rejected one byte over the limit', async () => {
      expectError(await postChunked(padded(LIMIT + 1)), 413, 'REQUEST_TOO_LARGE');
    });

    it('are rejected at the limit even if they never end', async () => {
      const socket = await openSocket(service.port);
      const response = readResponse(socket);
      socket.write(CHUNKED_HEAD);
      const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
      for (let sent = 0; sent <= LIMIT; sent += 65_536) socket.write(chunk);
      expectError(await response, 413, 'REQUEST_TOO_LARGE');
      socket.destroy();
    });
  });

  describe('that are compressed', () => {
    it('may declare identity', async () => {
      expectData(await post(GOOD, 'Content-Encoding: identity'));
    });

    for (const encoding of ['gzip', 'br', 'gzip, gzip']) {
      it(`with ${encoding} get 415 UNSUPPORTED_MEDIA_TYPE`, async () => {
        const response = await post(gzipSync(GOOD), `Content-Encoding: ${encoding}`);
        expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE');
      });
    }
  });

  describe('of another content type', () => {
    const types = [
      undefined,
      'text/plain',
      'application/jsonp',
      'application/json, text/plain',
      'application/json; charset=utf-16',
      'application/json; charset=utf-8; charset=utf-16',
    ];
    for (const type of types) {
      it(`${type ?? '(none)'} get 415 UNSUPPORTED_MEDIA_TYPE`, async () => {
        expectError(await postAs(type), 415, 'UNSUPPORTED_MEDIA_TYPE');
      });
    }
  });

  it('that are truncated are recorded as malformed', async () => {
    const before = service.records.entries.length;
    const socket = await openSocket(service.port);
    const seen = new Promise((resolve) => service.server.once('request', resolve));
    socket.write(postBytes('/api/v1/sign', GOOD).subarray(0, -10));
    await seen;
    socket.destroy();
    await closed(socket);
    while (service.records.entries.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
    const record = service.records.entries.at(-1);
    expect(record).to.include({ event: 'sign', outcome: 'refused', errorCode: 'INVALID_DATA_FORMAT' });
  });
});
