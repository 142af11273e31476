import { expect } from 'chai';
import { MemoryAuditSink } from '../doubles/memory-audit-sink.ts';
import { type RunningService, startService } from './harness.ts';
import { exchangeUntilClosed, postBytes } from './raw-client.ts';
import { DATA_A } from './sample-accounts.ts';

const SIGN = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const BATCH = { requests: [{ requestId: '1', ...SIGN }] };
const VERIFY = { ...SIGN, signature: 'none' };

/** What differs from request to request. */
const OWN = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=Date: )[\w ,:]+/g;

describe('A request that is taken past the router of Express', () => {
  let service: RunningService;
  let audit: MemoryAuditSink;

  beforeEach(async () => {
    audit = new MemoryAuditSink();
    service = await startService({ auditSink: audit, maxBatch: 3 });
  });
  afterEach(() => service.close());

  /** The answer to the last byte, the log lines, the metrics and the audit records of one request. */
  async function traces(target: string, body: string, headers: readonly string[]): Promise<object> {
    const before = [service.log.events.length, service.metrics.requests.length, audit.entries.length] as const;
    const sent = postBytes(target, body, ['Connection: close', ...headers]);
    const answer = await exchangeUntilClosed(service.port, sent);
    while (service.metrics.requests.length === before[1]) await new Promise((resolve) => setTimeout(resolve, 1));
    const events = service.log.events
      .slice(before[0])
      .map(({ facts, ...event }) => ({ ...event, facts: { ...facts, durationMs: 0 } }));
    const requests = service.metrics.requests.slice(before[1]).map((request) => ({ ...request, durationMs: 0 }));
    const records = audit.entries.slice(before[2]).map((entry) => ({ ...entry, durationMs: 0, sequence: 0 }));
    return JSON.parse(JSON.stringify({ answer, events, requests, records }).replaceAll(OWN, 'own'));
  }

  const targets = ['/api/v1/sign', '/api/v1/sign/batch', '/api/v1/verify'];
  const bodies = [SIGN, BATCH, VERIFY, {}, { ...SIGN, accountId: 'nobody' }, { ...SIGN, extra: 1 }].map((body) =>
    JSON.stringify(body),
  );
  const odd = ['', '{', '{"a":1,"a":2}', '\ufeff{}', '{"platformId":"é"}', `{"a":"${'x'.repeat(20_000)}"}`];
  const headers = [[], ['X-Request-Id: mine'], ['Content-Encoding: gzip'], ['Expect: 100-continue']];
  for (const target of targets) {
    it(`leaves the same behind as one to ${target} that Express routes`, async () => {
      for (const body of [...bodies, ...odd]) {
        for (const query of ['', 'include=payload']) {
          const direct = await traces(query === '' ? target : `${target}?${query}`, body, []);
          // No query either, or the same: but another text.
          const routed = await traces(query === '' ? `${target}?` : `${target}?&${query}`, body, []);
          expect(direct, `${body.slice(0, 50)} ${query}`).to.deep.equal(routed);
        }
      }
      for (const each of headers) {
        const body = JSON.stringify(SIGN);
        expect(await traces(target, body, each), String(each)).to.deep.equal(await traces(`${target}?`, body, each));
      }
    });
  }

  it('is answered 500 where its handler fails, and the log has why, as any other', async () => {
    await service.close();
    const signing = {
      sign: async () => {
        throw new Error('unforeseen');
      },
    };
    service = await startService({ auditSink: audit, replace: () => ({ signing }) });
    const direct = await traces('/api/v1/sign', JSON.stringify(SIGN), []);
    expect(JSON.stringify(direct)).to.include('INTERNAL_ERROR').and.to.include('met an unexpected error');
    const routed = await traces('/api/v1/sign?', JSON.stringify(SIGN), []);
    const withoutStack = (traced: object) => JSON.stringify(traced).replaceAll(/"stack":"[^"]*"/g, '');
    expect(withoutStack(direct)).to.equal(withoutStack(routed));
  });

  it('is one of its own method alone', async () => {
    for (const method of ['GET', 'PUT', 'HEAD', 'OPTIONS']) {
      const answer = await exchangeUntilClosed(
        service.port,
        `${method} /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      );
      expect(answer)
        .to.match(/^HTTP\/1\.1 405 /)
        .and.to.include('\r\nAllow: POST\r\n');
    }
  });
});
