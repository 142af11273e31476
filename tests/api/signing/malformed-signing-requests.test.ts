import { expect } from 'chai';
import request from 'supertest';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { exchange, postBytes } from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { useService } from '../../harness/use-service.ts';

const GOOD = '{"platformId":"alpha","accountId":"main","data":{}}';

describe('A malformed signing request', () => {
  const service = useService();

  type Send = (path: string, port: number) => Promise<ReceivedResponse>;
  const issues: readonly (readonly [name: string, status: number, code: string, send: Send])[] = [
    ['broken JSON', 400, 'INVALID_DATA_FORMAT', (path, port) => exchange(port, postBytes(path, '{'))],
    ['missing fields', 400, 'INVALID_DATA_FORMAT', (path, port) => exchange(port, postBytes(path, '{}'))],
    [
      'an unknown include',
      400,
      'INVALID_DATA_FORMAT',
      (path, port) => exchange(port, postBytes(`${path}?include=x`, GOOD)),
    ],
    [
      'too many bytes',
      413,
      'REQUEST_TOO_LARGE',
      (path, port) => exchange(port, postBytes(path, ' '.repeat(1_048_577))),
    ],
    [
      'another content type',
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      (path, port) => exchange(port, `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`),
    ],
    [
      'another method',
      405,
      'METHOD_NOT_ALLOWED',
      (path, port) => exchange(port, `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`),
    ],
  ];

  for (const [path, event] of [
    ['/api/v1/sign', 'sign'],
    ['/api/v1/sign/batch', 'sign'],
    ['/api/v1/verify', 'verify'],
  ] as const) {
    for (const [name, status, code, send] of issues) {
      it(`is recorded before the response: ${name}, sent to ${path}`, async () => {
        const response = await send(path, service.port);
        expectError(response, status, code);
        expect(service.records.entries).to.have.lengthOf(1);
        expect(service.records.entries[0]).to.deep.include({
          event,
          outcome: 'refused',
          errorCode: code,
          platformId: null,
          accountId: null,
          data: null,
          correlationId: response.headers['x-correlation-id'],
          remoteAddress: '127.0.0.1',
          principal: null,
        });
      });
    }

    it(`gets the response even if it cannot be recorded, which is logged: sent to ${path}`, async () => {
      const { port, log, close } = await startService({ adapters: { sink: new FailingAuditSink() } });
      const responses = [];
      for (const [, status, code, send] of issues) {
        const response = await send(path, port);
        expectError(response, status, code);
        responses.push(response);
      }
      // Once a minute.
      const [error, ...others] = log.events.filter(({ level }) => level === 'error');
      await close();
      expect(others).to.deep.equal([]);
      expect(error?.facts).to.include({ event, correlationId: responses[0]?.headers['x-correlation-id'] });
      expect(String(error?.facts['cause'])).to.include('AuditUnavailableError');
    });
  }

  it('is not recorded on another path', async () => {
    await request(service.server).get('/api/v1/accounts?platform=a&platform=b');
    await request(service.server).post('/api/v1/nothing').send('{');
    await request(service.server).put('/api/v1/status');
    expect(service.records.entries).to.have.lengthOf(0);
  });
});
