import { expect } from 'chai';
import request from 'supertest';
import { startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { type ServiceParts, startService } from '../../harness/running-service.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const PAGE = '/console';
const FILES: readonly (readonly [path: string, type: string])[] = [
  [PAGE, 'text/html; charset=utf-8'],
  ['/console.css', 'text/css; charset=utf-8'],
  ['/console.js', 'text/javascript; charset=utf-8'],
];
/** What the page reads. */
const READS = ['/api/v1/status?include=activity', '/readyz', '/api/v1/accounts?limit=1000'];
const FROM_PAGE = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };

describe('The console', () => {
  const service = useNewService();

  async function restart(parts: ServiceParts): Promise<void> {
    await restartAs(service, startService(parts));
  }

  async function statusOf(
    path: string,
    headers: { readonly [name: string]: string } = FROM_PAGE,
    method: 'get' | 'head' | 'post' = 'get',
  ) {
    return (
      await request(service.server)
        [method](path)
        .set({ ...headers })
    ).status;
  }

  it('is a page, a style sheet and a script, which may load and read nothing from elsewhere', async () => {
    for (const [path, type] of FILES) {
      const { status, headers } = await request(service.server).get(path);
      expect([status, headers['content-type'], headers['cache-control']]).to.deep.equal([200, type, 'no-store']);
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['content-security-policy']?.split('; ')).to.have.members([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        'img-src data:',
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]);
    }
    const { text } = await request(service.server).get(PAGE);
    expect(text.match(/ (?:src|href)="\/[^"]*"/g)).to.have.members([' href="/console.css"', ' src="/console.js"']);
    expect(text).not.to.match(/<style| style=| on[a-z]+=|<script(?! src)/);
  });

  it('leaves its query to the page', async () => {
    await request(service.server).get(`${PAGE}?q=alpha&sort=errors&page=2`).expect(200);
    expect(expectIssues(await request(service.server).get(`${PAGE}?other=1`))).to.deep.equal(['other']);
  });

  it('needs the permission to read the status; its refusal is on record', async () => {
    const permissions = [{ principals: ['watcher'], operations: ['status' as const] }];
    await restart({ replace: () => ({ callerChecks: [identify] }), permissions });
    for (const [path] of FILES) {
      expect(await statusOf(path, { [CALLER]: 'watcher' })).to.equal(200);
      expectError(await request(service.server).get(path).set(CALLER, 'stranger'), 403, 'FORBIDDEN');
    }
    const recorded = service.records.entries.map(({ event, outcome, principal }) => [event, outcome, principal]);
    expect(recorded).to.deep.equal(FILES.map(() => ['status', 'refused', 'stranger']));
  });

  it('is refused without authentication where that is required', async () => {
    await restartAs(service, startAuthenticatedService());
    for (const [path] of FILES) expectError(await request(service.server).get(path), 401, 'UNAUTHENTICATED');
  });

  it('may be requested and read by its page, as nothing else may', async () => {
    for (const path of [...FILES.map(([file]) => file), `${PAGE}?q=alpha`, ...READS]) {
      expect(await statusOf(path), path).to.equal(200);
      for (const headers of [
        { ...FROM_PAGE, origin: 'http://evil.example' },
        { ...FROM_PAGE, 'sec-fetch-site': 'same-site' },
        { ...FROM_PAGE, 'sec-fetch-site': 'cross-site' },
        { origin: 'null' },
      ]) {
        expect(await statusOf(path, headers), path).to.equal(403);
      }
      for (const method of ['head', 'post'] as const) expect(await statusOf(path, FROM_PAGE, method)).to.equal(403);
    }
    for (const path of ['/api/v1/accounts/alpha/main', '/metrics', '/healthz', '/docs', '/', '/console/', '/CONSOLE']) {
      expect(await statusOf(path), path).to.equal(403);
    }
  });

  it('adds no line to the log while nothing is signed', async () => {
    for (const path of READS.slice(0, 2)) await request(service.server).get(path);
    expect(service.log.events.filter(({ message }) => message === 'Request completed.')).to.deep.equal([]);
  });

  it('does not exist where it is switched off, nor may its page read anything', async () => {
    await restart({ console: false });
    for (const path of ['/', ...FILES.map(([file]) => file)]) {
      expectError(await request(service.server).get(path), 404, 'NOT_FOUND');
    }
    for (const path of [PAGE, ...READS]) expect(await statusOf(path)).to.equal(403);
  });
});
