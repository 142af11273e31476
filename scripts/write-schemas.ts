/** Writes what is published of schemas, from those that the service reads and answers with: JSON Schemas in config/, and the OpenAPI document in docs/. */
import { writeFileSync } from 'node:fs';
import { credentialsJsonSchema } from '../src/adapters/driven/credential-source/credentials-json-schema.ts';
import { apiDocument } from '../src/adapters/driving/http/openapi/api-document.ts';
import { recordJsonSchema } from '../src/audit-trail/record-schema.ts';
import { readSettings } from '../src/composition/settings.ts';

const FILES: { readonly [name: string]: object } = {
  'config/credentials.schema.json': credentialsJsonSchema(),
  'config/audit-record.schema.json': recordJsonSchema(),
  'docs/openapi.json': apiDocument(readSettings({})),
};

for (const [name, content] of Object.entries(FILES)) {
  writeFileSync(new URL(`../${name}`, import.meta.url), `${JSON.stringify(content, null, 2)}\n`);
}
