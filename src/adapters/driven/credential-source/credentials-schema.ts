import { z } from 'zod';
import { accountSchema } from './account-schema.ts';
import { permissionsSchema } from './permission-schema.ts';
import { platformSchema } from './platform-schema.ts';

/*
 * A pattern that is given to `regex`, here and in the schemas of the parts, gets published in config/credentials.schema.json, for validators in any
 * language: `\p{…}`, `\u…`, `\0` and repetitions beyond 1000 are not known to all of them.
 */

/** The whole credentials file. What it does not know is an error, so that a misspelt field can't silently lose its meaning. */
export const credentialsFileSchema = z.strictObject({
  $schema: z.string().optional().describe('Where editors find this schema; the service does not read it.'),
  version: z.literal(1, 'must be 1, the one version that this release reads'),
  platforms: z.array(platformSchema),
  accounts: z.array(accountSchema),
  permissions: permissionsSchema.optional(),
});

/** What a right credentials file says, `status` and `environment` filled in. */
export type CredentialsContent = z.output<typeof credentialsFileSchema>;

/** The same as it is written in the file. */
export type WrittenCredentials = z.input<typeof credentialsFileSchema>;
