import type { Payload } from '../../../domain/model/payload.ts';
import type { WrittenRequest } from '../../../domain/model/send.ts';
import type { DryRunResult, SignedResult } from '../../../domain/model/sign-request.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { SigningIntake } from '../admission/signing-intake.ts';
import { getCallContext, nameCalledPlatform } from '../call-context.ts';
import type { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import { logFailures } from '../middleware/failure-log.ts';
import { INCLUDES, type Include, readSigningRequest } from '../read-signing-request.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { malformed } from '../refusals.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import { signRequestSchema } from '../schemas/requests.ts';
import type { IncludedPayload, IncludedRequest } from '../schemas/response-fields.ts';
import type { DryRunResponse, SignatureResponse } from '../schemas/signature-responses.ts';

/**
 * The fields of `?include=payload`: the exact text that was signed, as hex or base64 with
 * `payloadEncoding` if it is not text, and its parts, which must be sent unchanged.
 */
export function includedPayload({ text, encoding, parts }: Payload, isWanted: boolean): IncludedPayload {
  if (!isWanted) return {};
  return {
    payload: text,
    ...(encoding === 'utf8' ? {} : { payloadEncoding: encoding }),
    payloadParts: { ...parts },
  };
}

/** The field of `?include=request`. */
export function includedRequest(request: WrittenRequest | undefined): IncludedRequest {
  return request === undefined ? {} : { request: { ...request, missing: [...request.missing] } };
}

/**
 * A payload for a caller who gets no signature: without the account's fixed values, which are
 * credentials that a request carries (an API key, the MAC of a passphrase).
 */
export function withoutValues({ parts, ...payload }: Payload): Payload {
  const { values: _, ...others } = parts;
  return { ...payload, parts: others };
}

/** `POST /sign`: one signature, or with `?dryRun=true` the decision only. */
export function signRoute(signing: SignRequestService, parts: SigningRouteDependencies): SigningRoute {
  const { intake, refusals, clock, log } = parts;
  const refuse: SigningRoute['refuse'] = (response, refusal) => refusals.malformed('sign', response, refusal);
  return {
    path: `${API_PREFIX}/sign`,
    shed: intake.refuseWhenFull('single'),
    refuse,
    handle: (request, response) =>
      intake.admit('single', request, response, async (sent, acquire) => {
        const received = await readSigningRequest(request, sent, signRequestSchema, clock, {
          include: INCLUDES,
          others: ['dryRun'],
        });
        if (!received.ok) return refuse(response, received.refusal);
        nameCalledPlatform(response, received.value.body.platformId);
        const { dryRun } = request.query;
        if (dryRun !== undefined && dryRun !== 'true') {
          return refuse(response, malformed('dryRun', 'must be true or absent (query parameter)'));
        }
        if (!(await acquire())) return;

        const { include } = received.value;
        const body = { ...received.value.body, wantsRequest: include.has('request') };
        const context = getCallContext(response);
        const outcome = await (dryRun === undefined ? signing.sign(body, context) : signing.dryRun(body, context));
        if (outcome.ok) return respondWithData(response, toResponse(outcome.value, include));

        const { platformId, accountId } = body;
        logFailures(log, 'Signing request failed.', [{ platformId, accountId, refusal: outcome.refusal }], context);
        respondWithRefusal(response, outcome.refusal);
      }),
  };
}

function toDryRunResponse({ payload, decision, refusal, request }: DryRunResult): DryRunResponse {
  const { isAllowed, policies, wouldDeny } = decision;
  return {
    dryRun: true,
    decision: refusal === null ? 'allowed' : 'denied',
    // Of a request that only a budget refuses, no policy decided that.
    policies: isAllowed && refusal !== null ? [] : [...policies],
    wouldDeny: [...wouldDeny],
    ...(refusal === null ? {} : { error: { code: refusal.code, message: refusal.message, details: refusal.details } }),
    ...includedPayload(refusal === null ? payload : withoutValues(payload), true),
    ...includedRequest(refusal === null ? request : undefined),
  };
}

function toResponse(
  result: SignedResult | DryRunResult,
  include: ReadonlySet<Include>,
): SignatureResponse | DryRunResponse {
  if ('refusal' in result) return toDryRunResponse(result);
  const { signature, algorithm, encoding, publicKey, signedAt, payload, request } = result;
  return {
    ...{ signature, algorithm, encoding, publicKey, signedAt },
    ...includedPayload(payload, include.has('payload')),
    ...includedRequest(request),
  };
}

/** Dependencies of the endpoints that sign and verify. */
export interface SigningRouteDependencies {
  readonly intake: SigningIntake;
  /** Null without a rate limit. */
  readonly limits: CallerRateLimiter | null;
  readonly refusals: RefusalRecorder;
  readonly clock: Clock;
  readonly log: ServiceLog;
}
