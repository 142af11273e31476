import { z } from 'zod';
import type { JsonObject } from '../../../../domain/model/json.ts';
import { accountAnswer, accountEntry, accountsAnswer } from '../schemas/answers/account-answers.ts';
import { batchAnswer, failedItem, signedItem } from '../schemas/answers/batch-answer.ts';
import { aliveAnswer, readyAnswer } from '../schemas/answers/health-answers.ts';
import { reloadAnswer } from '../schemas/answers/reload-answers.ts';
import { signatureAnswer } from '../schemas/answers/signature-answer.ts';
import { statusAnswer } from '../schemas/answers/status-answer.ts';
import { verificationAnswer } from '../schemas/answers/verification-answer.ts';
import { signBatchItem, signBatchSchema } from '../schemas/sign-batch-schema.ts';
import { signRequestSchema } from '../schemas/sign-request-schema.ts';
import { verifyRequestSchema } from '../schemas/verify-request-schema.ts';
import { REFUSAL_SCHEMAS } from './refusal-schemas.ts';

const ANSWERS = {
  Signature: signatureAnswer,
  Batch: batchAnswer,
  SignedItem: signedItem,
  FailedItem: failedItem,
  Verification: verificationAnswer,
  Accounts: accountsAnswer,
  AccountEntry: accountEntry,
  Account: accountAnswer,
  Reload: reloadAnswer,
  Status: statusAnswer,
  Alive: aliveAnswer,
  Ready: readyAnswer,
} as const;

/** Schemas of what answers hold as `data`. */
export type AnswerName = keyof typeof ANSWERS;

/** Schemas of request bodies. */
export type RequestName = 'SignRequest' | 'BatchRequest' | 'BatchItem' | 'VerifyRequest';

const BIGGEST = Number.MAX_SAFE_INTEGER;

/** Where a component of the document stands. */
export function schemaReference(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * The schemas that check requests and those that describe answers, as JSON Schema (draft 2020-12). Requests are closed, as a field that is none is refused; answers are open, since fields may be added.
 * @param maxBatch most items in a batch
 */
export function componentSchemas(maxBatch: number): { readonly [name: string]: JsonObject } {
  const requests: { readonly [Name in RequestName]: z.ZodType } = {
    SignRequest: signRequestSchema,
    BatchRequest: signBatchSchema(maxBatch),
    BatchItem: signBatchItem,
    VerifyRequest: verifyRequestSchema,
  };
  // What comes out of a schema is stricter than what goes in, where it is in steps; of an open object it is written as closed.
  return { ...toJsonSchemas(requests, 'output'), ...toJsonSchemas({ ...ANSWERS, ...REFUSAL_SCHEMAS }, 'input') };
}

function toJsonSchemas(
  schemas: { readonly [name: string]: z.ZodType },
  io: 'input' | 'output',
): { readonly [name: string]: JsonObject } {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: made } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    // `data` is whatever JSON object the platform takes; its own description says so.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  return Object.fromEntries(
    Object.entries(made).map(([id, { $schema, $id, ...schema }]) => [id, schema as unknown as JsonObject]),
  );
}

/** Leaves out what says nothing, and writes lists that may grow as such. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === BIGGEST) delete schema.maximum;
  if (schema.propertyNames !== undefined) delete schema.propertyNames;
  if (schema['isExtensible'] !== true) return;
  schema['x-extensible-enum'] = schema.enum;
  delete schema.enum;
  delete schema['isExtensible'];
}
