import type { Outcome } from '../../../domain/model/outcome.ts';
import type { BatchItem, SignedResult } from '../../../domain/model/sign-request.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithData } from '../envelope.ts';
import { logFailures } from '../middleware/failure-log.ts';
import { INCLUDES, type Include, readSigningRequest } from '../read-signing-request.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import { signBatchSchema } from '../schemas/requests.ts';
import type { BatchItemResponse, BatchResponse } from '../schemas/signature-responses.ts';
import { includedPayload, includedRequest, type SigningRouteDependencies } from './sign.ts';

/** `POST /sign/batch`: 200 for every well-formed batch, whatever its results. */
export function signBatchRoute(
  signing: SignRequestService,
  maxBatch: number,
  parts: SigningRouteDependencies,
): SigningRoute {
  const { intake, limits, refusals, clock, log } = parts;
  const refuse: SigningRoute['refuse'] = (response, refusal) => refusals.malformed('sign', response, refusal);
  const schema = signBatchSchema(maxBatch);
  return {
    path: `${API_PREFIX}/sign/batch`,
    shed: intake.refuseWhenFull('batch'),
    refuse,
    handle: (request, response) =>
      intake.admit('batch', request, response, async (sent, acquire) => {
        const received = await readSigningRequest(request, sent, schema, clock, { include: INCLUDES });
        if (!received.ok) return refuse(response, received.refusal);

        const { body, include } = received.value;
        const wantsRequest = include.has('request');
        const items = wantsRequest ? body.requests.map((item) => ({ ...item, wantsRequest })) : body.requests;
        const itemCount = items.length;
        if (limits !== null && !(await limits.admitItems(response, itemCount))) return;
        if (!(await acquire(itemCount))) return;

        const context = getCallContext(response);
        const outcomes = await signing.signAll(items, context);
        logFailures(log, 'Batch items failed.', listRefused(items, outcomes), context, 'items');
        const results = outcomes.map((outcome, index) =>
          toItem((items[index] as BatchItem).requestId, outcome, include),
        );
        const successful = outcomes.filter(({ ok }) => ok).length;
        const summary = { total: itemCount, successful, failed: itemCount - successful };
        const data: BatchResponse = { results, summary };
        respondWithData(response, data);
      }),
  };
}

function toItem(requestId: string, outcome: Outcome<SignedResult>, include: ReadonlySet<Include>): BatchItemResponse {
  if (!outcome.ok) {
    const { code, message, details } = outcome.refusal;
    return { requestId, status: 'failed', error: { code, message, details } };
  }
  const { signature, algorithm, payload, request } = outcome.value;
  return {
    ...{ requestId, status: 'success', signature, algorithm },
    ...includedPayload(payload, include.has('payload')),
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
