import type { JsonObject } from '../../../../domain/model/json.ts';
import type { SignedResult } from '../../../../domain/model/signed-result.ts';
import type { SignRequestService } from '../../../../domain/services/sign-request-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { includedPayload } from '../included-payload.ts';
import type { MalformedSigningRequests } from '../malformed-signing-requests.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { signRequestSchema } from '../schemas/sign-request-schema.ts';
import { receiveSigningRequest } from '../signing-request.ts';

/** `POST /sign`: one signature. */
export function signRoute(
  signing: Pick<SignRequestService, 'sign'>,
  malformed: MalformedSigningRequests,
  clock: Clock,
  log: ServiceLog,
): Route {
  return {
    method: 'post',
    path: `${API_PREFIX}/sign`,
    refuse: (response, refusal) => malformed.refuse(response, refusal),
    async handle(request, response) {
      const received = await receiveSigningRequest(request, signRequestSchema, clock);
      if (!received.ok) return malformed.refuse(response, received.refusal);

      const { body, includePayload } = received.value;
      const context = callContextOf(response);
      const outcome = await signing.sign(body, context);
      if (outcome.ok) return answerData(response, view(outcome.value, includePayload));

      const { code, cause } = outcome.refusal;
      if (cause !== undefined) {
        log.error('A signing request failed.', { errorCode: code, correlationId: context.correlationId, cause });
      }
      answerRefusal(response, outcome.refusal);
    },
  };
}

function view(result: SignedResult, includePayload: boolean): JsonObject {
  const { signature, algorithm, encoding, publicKey, signedAt, payload } = result;
  return { signature, algorithm, encoding, publicKey, signedAt, ...includedPayload(payload, includePayload) };
}
