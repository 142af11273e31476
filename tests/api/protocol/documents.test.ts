import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import request from 'supertest';
import { REFUSAL_NAMES, refuseRequest } from '../../../src/adapters/http/refusals.ts';
import { DOCUMENTED_OPERATIONS } from '../../harness/documented-operations.ts';
import { expectError } from '../../harness/envelope-checks.ts';
import { type ServiceParts, startService } from '../../harness/running-service.ts';
import { listRoutes } from '../../harness/served-routes.ts';
import { useService, withService } from '../../harness/use-service.ts';
import { readProjectFile } from '../../project-root.ts';

const PATHS = ['/openapi.json', '/docs'];

const DOCUMENT = JSON.parse(readProjectFile('docs/openapi.json'));

/** Decodes the entities that the page uses. */
function textOf(markup: string): string {
  const names: { readonly [entity: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return markup.replace(/<[^<>]*>/g, '').replace(/&([^;]+);/g, (_, name: string) => names[name] ?? '');
}

describe('docs/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document, by the schema of the OpenAPI Initiative', () => {
    const schema = JSON.parse(readProjectFile('tests/fixtures/openapi-3.1.schema.json'));
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect(isValid(DOCUMENT), JSON.stringify(isValid.errors)).to.equal(true);
    expect(isValid({ ...DOCUMENT, paths: { '/healthz': { post: { responses: 'none' } } } })).to.equal(false);
  });

  it('has exactly the paths and methods of the service', async () => {
    // The console is a page, not an operation.
    const service = await startService({ console: false });
    await service.close();
    const documented = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
      Object.keys(item ?? {}).map((method) => `${method} ${path}`),
    );
    expect(documented).to.have.members(listRoutes(service.app));
  });

  it('has every error in the response of an operation', () => {
    const { responses } = DOCUMENT.components;
    const used = JSON.stringify(DOCUMENT.paths).match(/(?<=#\/components\/responses\/)[\w-]+/g) ?? [];
    const errors = used.flatMap((name) => Object.keys(responses[name].content['application/json'].examples));
    expect([...new Set(errors)]).to.have.members([...REFUSAL_NAMES]);
  });
});

describe('GET /openapi.json and GET /docs', () => {
  const service = useService({ maxBatch: 7 });

  const get = (path: string) => request(service.server).get(path);

  it('return the OpenAPI document with the limit of this service', async () => {
    const response = await get('/openapi.json');
    expect(response.status).to.equal(200);
    expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
    const expected = structuredClone(DOCUMENT);
    expected.components.schemas.BatchRequest.properties.requests.maxItems = 7;
    expect(response.text).to.equal(JSON.stringify(expected));
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

  it('name every field of requests and responses, every error, and the limit of this service', async () => {
    const text = textOf((await get('/docs')).text);
    const schemas: readonly { readonly properties?: object }[] = Object.values(DOCUMENT.components.schemas);
    const names = schemas.flatMap(({ properties = {} }) => Object.keys(properties));
    expect(names.length).to.be.greaterThan(60);
    for (const name of [...names, ...REFUSAL_NAMES]) expect(text, name).to.include(name);
    expect(text).to.include('1 to 7 items');
  });

  it('show commands that pass targets and bodies unchanged through a shell', async () => {
    const commands = (await get('/docs')).text.match(/(?<=<code class="language-sh">)curl [^<]*/g) ?? [];
    const sent = commands.map((command) => {
      const printed = textOf(command).replace(/^curl /, 'printf "%s\\0" ');
      const given = execFileSync('sh', ['-c', printed], { encoding: 'utf8', env: { SERVICE: '' } }).split('\0');
      const body = given.indexOf('-d') + 1;
      return {
        target: given.find((word) => word.startsWith('/')),
        body: body === 0 ? undefined : JSON.parse(given[body] ?? ''),
      };
    });
    const examples = DOCUMENTED_OPERATIONS.flatMap((operation) => operation.examples.map(([, example]) => example));
    expect(sent).to.deep.equal(examples.map(({ target, body }) => ({ target, body })));
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
