/** Writes the published JSON Schemas in config/ from the schemas that the service reads with. */
import { writeFileSync } from 'node:fs';
import { credentialsJsonSchema } from '../src/adapters/driven/credential-source/credentials-json-schema.ts';
import { recordJsonSchema } from '../src/audit-trail/record-schema.ts';

const SCHEMAS: { readonly [name: string]: object } = {
  'credentials.schema.json': credentialsJsonSchema(),
  'audit-record.schema.json': recordJsonSchema(),
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
  writeFileSync(new URL(`../config/${name}`, import.meta.url), `${JSON.stringify(schema, null, 2)}\n`);
}
