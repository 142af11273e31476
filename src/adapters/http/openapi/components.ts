import { z } from 'zod';
import type { JsonObject } from '../../../domain/model/json.ts';
import { REFUSAL_SCHEMAS } from '../refusals.ts';
import { accountEntry, accountResponse, accountsResponse } from '../schemas/account-responses.ts';
import { reloadResponse } from '../schemas/reload-responses.ts';
import { signBatchItem, signBatchSchema, signRequestSchema, verifyRequestSchema } from '../schemas/requests.ts';
import {
  batchResponse,
  dryRunResponse,
  failedItem,
  signatureResponse,
  signedItem,
  signResponse,
  verificationResponse,
} from '../schemas/signature-responses.ts';
import { livenessResponse, readinessResponse, statusResponse } from '../schemas/status-responses.ts';

const RESPONSE_SCHEMAS = {
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
} as const;

/** Names of the schemas of `data`. */
export type ResponseName = keyof typeof RESPONSE_SCHEMAS;

/** Names of the schemas of request bodies. */
export type RequestName = 'SignRequest' | 'BatchRequest' | 'BatchItem' | 'VerifyRequest';

const UNBOUNDED = Number.MAX_SAFE_INTEGER;

/** A reference to a schema component. */
export function schemaReference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * All schemas as JSON Schema (draft 2020-12). Requests are closed; responses are open for
 * additions.
 * @param maxBatch maximum number of items in a batch
 */
export function componentSchemas(maxBatch: number): { readonly [name: string]: JsonObject } {
  const requests: { readonly [Name in RequestName]: z.ZodType } = {
    SignRequest: signRequestSchema,
    BatchRequest: signBatchSchema(maxBatch),
    BatchItem: signBatchItem,
    VerifyRequest: verifyRequestSchema,
  };
  // Output schemas are stricter for piped requests, but would close responses.
  return {
    ...toJsonSchemas(requests, 'output'),
    ...toJsonSchemas({ ...RESPONSE_SCHEMAS, ...REFUSAL_SCHEMAS }, 'input'),
  };
}

function toJsonSchemas(
  schemas: { readonly [name: string]: z.ZodType },
  io: 'input' | 'output',
): { readonly [name: string]: JsonObject } {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: generated } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // Any JSON object; its description explains.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(generated).map(([id, { $schema, $id, ...schema }]) => [id, schema as unknown as JsonObject]),
  );
}

/** Removes redundant keywords and publishes extensible enums. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === UNBOUNDED) delete schema.maximum;
  if (schema.propertyNames !== undefined) delete schema.propertyNames;
  if (schema['isExtensible'] !== true) return;
  schema['x-extensible-enum'] = schema.enum;
  delete schema.enum;
  delete schema['isExtensible'];
}
