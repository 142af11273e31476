import type { z } from 'zod';
import type { Payload } from '../../../domain/model/payload.ts';
import { accepted, type Outcome } from '../../../domain/model/refusal.ts';
import type { WrittenRequest } from '../../../domain/model/send.ts';
import type {
  BatchItem,
  DryRunResult,
  SignedResult,
  SignRequest,
  VerifyRequest,
} from '../../../domain/model/sign-request.ts';
import type { AppDependencies } from '../app.ts';
import { toError } from '../refusals.ts';
import type { Endpoint } from '../route.ts';
import { type Include, signBatchQuery, signQuery, verifyQuery } from '../schemas/queries.ts';
import { type SignBatch, signBatchSchema, signRequestSchema, verifyRequestSchema } from '../schemas/requests.ts';
import type { IncludedPayload, IncludedRequest } from '../schemas/response-fields.ts';
import type {
  BatchResponse,
  DryRunResponse,
  SignatureResponse,
  VerificationResponse,
} from '../schemas/signature-responses.ts';
import { logFailures } from './log-failures.ts';

/** `POST /sign`: one signature, or with `?dryRun=true` the decision only. */
export function signEndpoint({ signing, log }: AppDependencies): Endpoint<z.infer<typeof signQuery>, SignRequest> {
  return {
    query: signQuery,
    signing: { work: 'single', schema: signRequestSchema },
    async handle({ body, context, query: { include = [], dryRun } }) {
      const request = { ...body, wantsRequest: include.includes('request') };
      const outcome = await (dryRun ? signing.dryRun(request, context) : signing.sign(request, context));
      if (outcome.ok) return accepted(toResponse(outcome.value, include));
      logFailures(log, 'Signing request failed.', [{ ...body, refusal: outcome.refusal }], context);
      return outcome;
    },
  };
}

/** `POST /sign/batch`: 200 for every well-formed batch, whatever its results. */
export function signBatchEndpoint({
  signing,
  maxBatch,
  log,
}: AppDependencies): Endpoint<z.infer<typeof signBatchQuery>, SignBatch> {
  return {
    query: signBatchQuery,
    signing: { work: 'batch', schema: signBatchSchema(maxBatch) },
    async handle({ body: { requests }, context, query: { include = [] } }) {
      const wantsRequest = include.includes('request');
      const items = wantsRequest ? requests.map((item) => ({ ...item, wantsRequest })) : requests;
      const outcomes = await signing.signAll(items, context);
      logFailures(log, 'Batch items failed.', listRefused(items, outcomes), context, 'items');
      const results = outcomes.map((outcome, index) => toItem(items[index] as BatchItem, outcome, include));
      const successful = outcomes.filter(({ ok }) => ok).length;
      const summary = { total: items.length, successful, failed: items.length - successful };
      return accepted({ results, summary } satisfies BatchResponse);
    },
  };
}

/** `POST /verify`: verifies a signature. */
export function verifyEndpoint({
  signing,
  log,
}: AppDependencies): Endpoint<z.infer<typeof verifyQuery>, VerifyRequest> {
  return {
    query: verifyQuery,
    signing: { work: 'single', schema: verifyRequestSchema },
    async handle({ body, context, query: { include = [] } }) {
      const outcome = await signing.verify(body, context);
      if (!outcome.ok) {
        logFailures(log, 'Verification failed.', [{ ...body, refusal: outcome.refusal }], context);
        return outcome;
      }
      const { valid, payload } = outcome.value;
      const shown = includedPayload(withoutValues(payload), include.includes('payload'));
      return accepted({ valid, ...shown } satisfies VerificationResponse);
    },
  };
}

function toItem(
  { requestId }: BatchItem,
  outcome: Outcome<SignedResult>,
  include: readonly Include[],
): BatchResponse['results'][number] {
  if (!outcome.ok) return { requestId, status: 'failed', error: toError(outcome.refusal) };
  const { signature, algorithm, payload, request } = outcome.value;
  return {
    requestId,
    status: 'success',
    signature,
    algorithm,
    ...includedPayload(payload, include.includes('payload')),
    ...includedRequest(request),
  };
}

/** Outcomes are in the order of the items. */
function listRefused(items: readonly BatchItem[], outcomes: readonly Outcome<SignedResult>[]) {
  return outcomes.flatMap((outcome, index) => {
    const { platformId, accountId } = items[index] as BatchItem;
    return outcome.ok ? [] : [{ platformId, accountId, refusal: outcome.refusal }];
  });
}

function toDryRunResponse({ payload, decision, refusal, request }: DryRunResult): DryRunResponse {
  const { isAllowed, policies, wouldDeny } = decision;
  return {
    dryRun: true,
    decision: refusal === null ? 'allowed' : 'denied',
    // Of a request that only a budget refuses, no policy decided that.
    policies: isAllowed && refusal !== null ? [] : [...policies],
    wouldDeny: [...wouldDeny],
    ...(refusal === null ? {} : { error: toError(refusal) }),
    ...includedPayload(refusal === null ? payload : withoutValues(payload), true),
    ...includedRequest(refusal === null ? request : undefined),
  };
}

function toResponse(
  result: SignedResult | DryRunResult,
  include: readonly Include[],
): SignatureResponse | DryRunResponse {
  if ('refusal' in result) return toDryRunResponse(result);
  const { signature, algorithm, encoding, publicKey, signedAt, payload, request } = result;
  return {
    signature,
    algorithm,
    encoding,
    publicKey,
    signedAt,
    ...includedPayload(payload, include.includes('payload')),
    ...includedRequest(request),
  };
}

/**
 * The fields of `?include=payload`: the exact text that was signed, as hex or base64 with
 * `payloadEncoding` if it is not text, and its parts, which must be sent unchanged.
 */
function includedPayload({ text, encoding, parts }: Payload, isWanted: boolean): IncludedPayload {
  if (!isWanted) return {};
  return {
    payload: text,
    ...(encoding === 'utf8' ? {} : { payloadEncoding: encoding }),
    payloadParts: { ...parts },
  };
}

/** The field of `?include=request`. */
function includedRequest(request: WrittenRequest | undefined): IncludedRequest {
  return request === undefined ? {} : { request: { ...request, missing: [...request.missing] } };
}

/**
 * A payload for a caller who gets no signature: without the account's fixed values, which are
 * credentials that a request carries (an API key, the MAC of a passphrase).
 */
function withoutValues({ parts, ...payload }: Payload): Payload {
  const { values: _, ...others } = parts;
  return { ...payload, parts: others };
}
