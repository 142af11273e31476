import type { JsonObject } from '../../../../domain/model/json.ts';
import type { CallContext } from '../../../../domain/model/sign-request.ts';
import type { BatchItemResult, BatchResult, SignBatchService } from '../../../../domain/services/sign-batch-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../call-context.ts';
import { answerData } from '../envelope.ts';
import { includedPayload } from '../included-payload.ts';
import type { MalformedSigningRequests } from '../malformed-signing-requests.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { signBatchSchema } from '../schemas/sign-batch-schema.ts';
import { receiveSigningRequest } from '../signing-request.ts';

/** `POST /sign/batch`: many signatures. 200 whenever the batch is well formed, however its items end. */
export function signBatchRoute(
  batches: Pick<SignBatchService, 'signAll'>,
  maxBatch: number,
  malformed: MalformedSigningRequests,
  clock: Clock,
  log: ServiceLog,
): Route {
  const schema = signBatchSchema(maxBatch);
  return {
    method: 'post',
    path: `${API_PREFIX}/sign/batch`,
    refuse: (response, refusal) => malformed.refuse(response, refusal),
    async handle(request, response) {
      const received = await receiveSigningRequest(request, schema, clock);
      if (!received.ok) return malformed.refuse(response, received.refusal);

      const { body, includePayload } = received.value;
      const context = callContextOf(response);
      const { results, summary } = await batches.signAll(body.requests, context);
      logFailures(log, results, context);
      answerData(response, { results: results.map((result) => view(result, includePayload)), summary: { ...summary } });
    },
  };
}

function view({ requestId, outcome }: BatchItemResult, includePayload: boolean): JsonObject {
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
