/** Writes config/credentials.schema.json from the schema that the service reads the credentials file with. */
import { writeFileSync } from 'node:fs';
import { credentialsJsonSchema } from '../src/adapters/driven/credential-source/credentials-json-schema.ts';

const target = new URL('../config/credentials.schema.json', import.meta.url);
writeFileSync(target, `${JSON.stringify(credentialsJsonSchema(), null, 2)}\n`);
