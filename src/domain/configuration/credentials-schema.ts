import { z } from 'zod';
import { accountSchema } from '../model/configured-account.ts';
import { permissionsSchema } from './permission-schema.ts';
import { platformSchema } from './platform-schema.ts';
import { budgetsSchema, policiesSchema } from './policy-schema.ts';

/*
 * Patterns given to `regex` are published in config/credentials.schema.json for validators in any
 * language: avoid `\p{…}`, `\u…`, `\0` and repetitions beyond 1000.
 */

/** The whole credentials file. Unknown fields are rejected, so that typos don't go unnoticed. */
export const credentialsFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Location of this schema, for editors; the service ignores it.'),
  version: z.literal(1, 'must be 1, the only supported version'),
  platforms: z.array(platformSchema),
  accounts: z.array(accountSchema),
  permissions: permissionsSchema.optional(),
  policies: policiesSchema.optional(),
  budgets: budgetsSchema.optional(),
});

/** All but the accounts, which are validated one by one. */
export const credentialsHeadSchema = credentialsFileSchema.extend({ accounts: z.array(z.unknown()) });

/** See {@link credentialsHeadSchema}. */
export type CredentialsHead = z.output<typeof credentialsHeadSchema>;

/** A valid credentials file with default `status` and `environment`. */
export type CredentialsContent = z.output<typeof credentialsFileSchema>;

/** As written in the file. */
export type WrittenCredentials = z.input<typeof credentialsFileSchema>;

/**
 * JSON Schema (draft 2020-12) of single entries, published as `config/credentials.schema.json`; the
 * service checks conflicts between them.
 */
export function credentialsJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(credentialsFileSchema, { io: 'input', target: 'draft-2020-12' });
  return { $schema, title: 'Credentials file of the signing service', ...schema };
}
