import { createHash } from 'node:crypto';
import { expect } from 'chai';
import request from 'supertest';
import { apiDocument } from '../../../src/adapters/http/openapi/api-document.ts';
import { refuseRequest } from '../../../src/adapters/http/refusals.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import type { ServiceParts } from '../../harness/running-service.ts';
import { useService, withService } from '../../harness/use-service.ts';

const PATHS = ['/openapi.json', '/docs'];

describe('GET /openapi.json and GET /docs', () => {
  const service = useService({ maxBatch: 7 });

  const get = (path: string) => request(service.server).get(path);

  it('return the OpenAPI document with the limits of this service', async () => {
    const response = await get('/openapi.json');
    expect(response.status).to.equal(200);
    expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
    expect(response.body).to.deep.equal(JSON.parse(JSON.stringify(apiDocument({ maxBatch: 7 }))));
    expect(response.body.components.schemas.BatchRequest.properties.requests.maxItems).to.equal(7);
  });

  it('return a self-contained page without scripts, forms, frames or external URLs', async () => {
    const { status, headers, text } = await get('/docs');
    expect(status).to.equal(200);
    expect(headers['content-type']).to.equal('text/html; charset=utf-8');
    expect(text).to.match(/^<!doctype html>\n<html lang="en">/);
    expect(text).not.to.match(/<(?:script|iframe|form|object|embed|base)\b|javascript:|\son\w+=|\sstyle=/i);
    const addresses = [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses.filter((address) => !/^(?:#|openapi\.json$|data:image\/svg\+xml,)/.test(address))).to.deep.equal(
      [],
    );
  });

  it('let a browser load only the inline style sheet and data images', async () => {
    const { headers, text } = await get('/docs');
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
  });

  it('link only to existing anchors on the page', async () => {
    const { text } = await get('/docs');
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    const targets = [...text.matchAll(/\shref="#([^"]*)"/g)].map(([, id]) => id);
    expect(ids).to.include.members(targets);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  for (const path of PATHS) {
    it(`${path} has the common response headers, and is not cached`, async () => {
      const { headers } = await get(path);
      expect(headers['cache-control']).to.equal('no-store');
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(headers['x-correlation-id']).to.be.a('string');
      expect(headers).not.to.have.any.keys(
        'x-powered-by',
        'server',
        'etag',
        'set-cookie',
        'access-control-allow-origin',
      );
    });

    it(`${path} needs no authentication and costs no rate limit points`, async () => {
      const asking: ServiceParts = {
        perCaller: { points: 1, windowSeconds: 100 },
        replace: () => ({
          callerChecks: [() => refuseRequest('ClientCertificateNotTaken', { reason: 'CLIENT_CERTIFICATE_REQUIRED' })],
        }),
      };
      await withService(asking, async (other) => {
        for (let count = 0; count < 3; count += 1) {
          expect((await request(other.server).get(path)).status).to.equal(200);
        }
        expect(other.records.entries).to.deep.equal([]);
      });
    });
  }

  it('are named by the response at /, with the path of the API', async () => {
    const { message } = expectError(await get('/'), 404, 'NOT_FOUND');
    const paths = message.match(/\/[\w/]+/g) ?? [];
    expect(paths).to.deep.equal(['/api/v1', '/docs']);
    expect((await get('/docs')).status).to.equal(200);
  });
});
