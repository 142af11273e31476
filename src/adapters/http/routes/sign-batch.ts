import type { CallContext } from '../../../domain/model/sign-request.ts';
import type { BatchItemResult, BatchResult, SignBatchService } from '../../../domain/services/sign-batch-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithData } from '../envelope.ts';
import { readSigningRequest } from '../read-signing-request.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import { signBatchSchema } from '../schemas/requests.ts';
import type { BatchItemResponse, BatchResponse } from '../schemas/signature-responses.ts';
import { includedPayload, type SigningRouteDependencies } from './sign.ts';

/** `POST /sign/batch`: 200 for every well-formed batch, whatever its results. */
export function signBatchRoute(
  batches: SignBatchService,
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
        const received = await readSigningRequest(request, sent, schema, clock);
        if (!received.ok) return refuse(response, received.refusal);

        const { body, includePayload } = received.value;
        const itemCount = body.requests.length;
        if (limits !== null && !(await limits.admitItems(response, itemCount))) return;
        if (!(await acquire(itemCount))) return;

        const context = getCallContext(response);
        const { results, summary } = await batches.signAll(body.requests, context);
        logFailures(log, results, context);
        const shown = results.map((result) => toItem(result, includePayload));
        const data: BatchResponse = { results: shown, summary: { ...summary } };
        respondWithData(response, data);
      }),
  };
}

function toItem({ requestId, outcome }: BatchItemResult, includePayload: boolean): BatchItemResponse {
  if (!outcome.ok) {
    const { code, message, details } = outcome.refusal;
    return { requestId, status: 'failed', error: { code, message, details } };
  }
  const { signature, algorithm, payload } = outcome.value;
  return { requestId, status: 'success', signature, algorithm, ...includedPayload(payload, includePayload) };
}

/** One line for the batch: a thousand failures usually have one cause. */
function logFailures(log: ServiceLog, results: BatchResult['results'], { correlationId }: CallContext): void {
  const causes = results.flatMap(({ outcome }) =>
    outcome.ok || outcome.refusal.cause === undefined ? [] : [outcome.refusal.cause],
  );
  if (causes.length === 0) return;
  log.error('Batch items failed.', { items: causes.length, correlationId, cause: causes[0] });
}
