import { z } from 'zod';
import { accountEntry, accountResponse, accountsResponse } from '../../src/adapters/http/schemas/account-responses.ts';
import { REFUSAL_SCHEMAS } from '../../src/adapters/http/schemas/refusal-responses.ts';
import { reloadResponse } from '../../src/adapters/http/schemas/reload-responses.ts';
import {
  signBatchItem,
  signBatchSchema,
  signRequestSchema,
  verifyRequestSchema,
} from '../../src/adapters/http/schemas/requests.ts';
import {
  batchResponse,
  dryRunResponse,
  failedItem,
  signatureResponse,
  signedItem,
  signResponse,
  verificationResponse,
} from '../../src/adapters/http/schemas/signature-responses.ts';
import {
  livenessResponse,
  readinessResponse,
  statusResponse,
} from '../../src/adapters/http/schemas/status-responses.ts';
import { readSettings } from '../../src/app/settings/settings.ts';

const REQUESTS = {
  SignRequest: signRequestSchema,
  BatchRequest: signBatchSchema(readSettings({}).maxBatch),
  BatchItem: signBatchItem,
  VerifyRequest: verifyRequestSchema,
};

const RESPONSES = {
  Signature: signatureResponse,
  DryRun: dryRunResponse,
  SignatureOrDryRun: signResponse,
  Batch: batchResponse,
  SignedItem: signedItem,
  FailedItem: failedItem,
  Verification: verificationResponse,
  Accounts: accountsResponse,
  AccountEntry: accountEntry,
  Account: accountResponse,
  Reload: reloadResponse,
  Status: statusResponse,
  Alive: livenessResponse,
  Ready: readinessResponse,
};

/** A JSON Schema (draft 2020-12) with the keywords that zod writes. */
export type Schema = z.core.JSONSchema.BaseSchema;

function toJsonSchemas(schemas: { readonly [name: string]: z.ZodType }, io: 'input' | 'output') {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const generated = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // Any JSON object; its description explains.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(generated.schemas).map(([id, { $schema, $id, ...schema }]): [string, Schema] => [id, schema]),
  );
}

/** Removes redundant keywords and publishes extensible enums. */
function tidy(schema: Schema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
  if (schema['isExtensible'] !== true) return;
  schema['x-extensible-enum'] = schema.enum;
  delete schema.enum;
  delete schema['isExtensible'];
}

/** The schema components, with default limits. */
export const COMPONENT_SCHEMAS: { readonly [name: string]: Schema } = {
  // Output schemas are stricter for piped requests, but would close responses.
  ...toJsonSchemas(REQUESTS, 'output'),
  ...toJsonSchemas({ ...RESPONSES, ...REFUSAL_SCHEMAS }, 'input'),
};
