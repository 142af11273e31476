import type { CallContext } from '../../../../domain/model/sign-request.ts';
import type { BatchItemResult, BatchResult, SignBatchService } from '../../../../domain/services/sign-batch-service.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData } from '../envelope.ts';
import { includedPayload } from '../included-payload.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import type { BatchAnswer, BatchItemAnswer } from '../schemas/answers/batch-answer.ts';
import { signBatchSchema } from '../schemas/sign-batch-schema.ts';
import { readSigningRequest } from '../signing-request.ts';
import type { SigningRouteParts } from './signing-route-parts.ts';

/** `POST /sign/batch`: many signatures. 200 whenever the batch is well formed, however its items end. */
export function signBatchRoute(batches: SignBatchService, maxBatch: number, parts: SigningRouteParts): SigningRoute {
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
        const items = body.requests.length;
        if (limits !== null && !(await limits.admitItems(response, items))) return;
        if (!(await acquire(items))) return;

        const context = callContextOf(response);
        const { results, summary } = await batches.signAll(body.requests, context);
        logFailures(log, results, context);
        const views = results.map((result) => view(result, includePayload));
        const answer: BatchAnswer = { results: views, summary: { ...summary } };
        answerData(response, answer);
      }),
  };
}

function view({ requestId, outcome }: BatchItemResult, includePayload: boolean): BatchItemAnswer {
  if (!outcome.ok) {
    const { code, message, details } = outcome.refusal;
    return { requestId, status: 'failed', error: { code, message, details } };
  }
  const { signature, algorithm, payload } = outcome.value;
  return { requestId, status: 'success', signature, algorithm, ...includedPayload(payload, includePayload) };
}

/** One line for the batch: what fails a thousand items is usually one thing. */
function logFailures(log: ServiceLog, results: BatchResult['results'], { correlationId }: CallContext): void {
  const causes = results.flatMap(({ outcome }) =>
    outcome.ok || outcome.refusal.cause === undefined ? [] : [outcome.refusal.cause],
  );
  if (causes.length === 0) return;
  log.error('Items of a batch failed.', { items: causes.length, correlationId, cause: causes[0] });
}
