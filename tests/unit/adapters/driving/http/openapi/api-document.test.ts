import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { STATUS_OF_CODE } from '../../../../../../src/adapters/driving/http/http-refusal.ts';
import { apiDocument } from '../../../../../../src/adapters/driving/http/openapi/api-document.ts';
import { refusalsOf } from '../../../../../../src/adapters/driving/http/openapi/operation.ts';
import { OPERATIONS } from '../../../../../../src/adapters/driving/http/openapi/operations/operations.ts';
import { DOCUMENTED_REFUSALS } from '../../../../../../src/adapters/driving/http/openapi/refusal-examples.ts';
import { UNROUTED_REFUSALS } from '../../../../../../src/adapters/driving/http/openapi/refusal-objects.ts';
import { REFUSAL_NAMES } from '../../../../../../src/adapters/driving/http/openapi/refusal-schemas.ts';
import { readSettings } from '../../../../../../src/composition/settings.ts';
import { startService } from '../../../../../api/harness.ts';
import { routesOf } from '../../../../../api/served-routes.ts';

const PUBLISHED = new URL('../../../../../../docs/openapi.json', import.meta.url);

describe('docs/openapi.json', () => {
  const document = apiDocument(readSettings({}));

  it('is what the schemas say now (npm run generate -- schema writes it)', async () => {
    expect(JSON.parse(await readFile(PUBLISHED, 'utf8'))).to.deep.equal(JSON.parse(JSON.stringify(document)));
  });

  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    expect(errors ?? []).to.deep.equal([]);
    expect({ valid, version: validator.version }).to.deep.equal({ valid: true, version: '3.1' });
  });

  it('would be found to be invalid', async () => {
    const [path = ''] = Object.keys(document['paths'] ?? {});
    const broken = { ...structuredClone(document), paths: { [path]: { post: { responses: 'none' } } } };
    expect((await new Validator().validate(broken)).valid).to.equal(false);
  });

  it('has the paths and methods of the service, and no others', async () => {
    const service = await startService();
    await service.close();
    const documented = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(documented).to.have.members(routesOf(service.app));
    expect(new Set(documented).size).to.equal(documented.length);
  });

  it("has the specification's six endpoints", () => {
    const documented = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(documented).to.include.members([
      ...['post /api/v1/sign', 'post /api/v1/sign/batch', 'get /api/v1/accounts'],
      ...['get /api/v1/accounts/{platformId}/{accountId}', 'post /api/v1/config/reload', 'get /api/v1/status'],
    ]);
  });

  it('has every error code, with its status', () => {
    const codes = REFUSAL_NAMES.map((name) => DOCUMENTED_REFUSALS[name].example.code);
    expect([...new Set(codes)]).to.have.members(Object.keys(STATUS_OF_CODE));
  });

  it('gives every error to an endpoint, or to what is none', () => {
    const given = [...OPERATIONS.flatMap(refusalsOf), ...UNROUTED_REFUSALS];
    expect([...new Set(given)]).to.have.members([...REFUSAL_NAMES]);
  });

  it('says how many requests a batch of this service may have', () => {
    const { components } = apiDocument({ maxBatch: 7 }) as unknown as {
      components: { schemas: { BatchRequest: { properties: { requests: { minItems: number; maxItems: number } } } } };
    };
    expect(components.schemas.BatchRequest.properties.requests).to.include({ minItems: 1, maxItems: 7 });
  });

  it('asks nobody who he is for health and documentation, and by default nobody at all', () => {
    for (const { path, isOpen = false } of OPERATIONS) {
      expect(isOpen, path).to.equal(!/^\/(?:api\/v1\/|metrics$)/.test(path));
    }
  });
});
