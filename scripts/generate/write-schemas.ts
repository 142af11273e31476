/** Writes the JSON Schemas in config/ and the OpenAPI document from the service's own schemas. */
import { writeFileSync } from 'node:fs';
import { recordJsonSchema } from '../../src/adapters/audit/record/read-record.ts';
import { credentialsJsonSchema } from '../../src/adapters/credentials/schema/credentials-schema.ts';
import { apiDocument } from '../../src/adapters/http/openapi/api-document.ts';
import { readSettings } from '../../src/app/settings/settings.ts';

const FILES: { readonly [name: string]: object } = {
  'config/credentials.schema.json': credentialsJsonSchema(),
  'config/audit-record.schema.json': recordJsonSchema(),
  'docs/openapi.json': apiDocument(readSettings({})),
};

for (const [name, content] of Object.entries(FILES)) {
  writeFileSync(new URL(`../../${name}`, import.meta.url), `${JSON.stringify(content, null, 2)}\n`);
}
