import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { apiDocument, OPERATIONS } from '../../../../../src/adapters/http/openapi/api-document.ts';
import { listRefusals } from '../../../../../src/adapters/http/openapi/operation.ts';
import { UNROUTED_REFUSALS } from '../../../../../src/adapters/http/openapi/refusal-responses.ts';
import { REFUSAL_NAMES } from '../../../../../src/adapters/http/refusals.ts';
import { readSettings } from '../../../../../src/app/settings/settings.ts';
import { startService } from '../../../../harness/running-service.ts';
import { listRoutes } from '../../../../harness/served-routes.ts';
import { readProjectFile } from '../../../../project-root.ts';

describe('docs/openapi.json', () => {
  const document = apiDocument(readSettings({}));

  it('is a valid OpenAPI 3.1 document, by the schema of the OpenAPI Initiative', () => {
    const schema = JSON.parse(readProjectFile('tests/fixtures/openapi-3.1.schema.json'));
    const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    expect(isValid(document), JSON.stringify(isValid.errors)).to.equal(true);
    const [path = ''] = Object.keys(document['paths'] ?? {});
    expect(isValid({ ...document, paths: { [path]: { post: { responses: 'none' } } } })).to.equal(false);
  });

  it('has exactly the paths and methods of the service', async () => {
    // The console is a page, not an operation.
    const service = await startService({ console: false });
    await service.close();
    const documented = Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
      Object.keys(item ?? {}).map((method) => `${method} ${path}`),
    );
    expect(documented).to.have.members(listRoutes(service.app));
  });

  it('assigns every error to an endpoint, or to unknown paths', () => {
    const given = [...OPERATIONS.flatMap(listRefusals), ...UNROUTED_REFUSALS];
    expect([...new Set(given)]).to.have.members([...REFUSAL_NAMES]);
  });
});
