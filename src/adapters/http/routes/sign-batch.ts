import type { SignRequest } from '../../../domain/model/sign-request.ts';
import type { BatchItemResult, BatchResult, SignBatchService } from '../../../domain/services/sign-batch-service.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithData } from '../envelope.ts';
import { FailureLog } from '../middleware/failure-log.ts';
import { INCLUDES, type Include, readSigningRequest } from '../read-signing-request.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import { signBatchSchema } from '../schemas/requests.ts';
import type { BatchItemResponse, BatchResponse } from '../schemas/signature-responses.ts';
import { includedPayload, includedRequest, type SigningRouteDependencies } from './sign.ts';

/** `POST /sign/batch`: 200 for every well-formed batch, whatever its results. */
export function signBatchRoute(
  batches: SignBatchService,
  maxBatch: number,
  parts: SigningRouteDependencies,
): SigningRoute {
  const { intake, limits, refusals, clock, log } = parts;
  const failureLog = new FailureLog(log, 'Batch items failed.', 'items');
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
        const { results, summary } = await batches.signAll(items, context);
        failureLog.failed(listRefused(items, results), context);
        const shown = results.map((result) => toItem(result, include));
        const data: BatchResponse = { results: shown, summary: { ...summary } };
        respondWithData(response, data);
      }),
  };
}

function toItem({ requestId, outcome }: BatchItemResult, include: ReadonlySet<Include>): BatchItemResponse {
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

/** Results are in the order of the requests. */
function listRefused(requests: readonly SignRequest[], results: BatchResult['results']) {
  return requests.flatMap(({ platformId, accountId }, index) => {
    const outcome = results[index]?.outcome;
    return outcome === undefined || outcome.ok ? [] : [{ platformId, accountId, refusal: outcome.refusal }];
  });
}
