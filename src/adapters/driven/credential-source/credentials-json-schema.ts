import { z } from 'zod';
import { credentialsFileSchema } from './credentials-schema.ts';

/**
 * JSON Schema (draft 2020-12) of the credentials file as people write it, for editors; `config/credentials.schema.json` is this. It says what one entry may
 * be; that ids are unique, that accounts fit their platforms, and which fields of an
 * entry exclude or need each other is checked by the service alone.
 */
export function credentialsJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(credentialsFileSchema, { io: 'input', target: 'draft-2020-12' });
  return { $schema, title: 'Credentials file of the signing service', ...schema };
}
