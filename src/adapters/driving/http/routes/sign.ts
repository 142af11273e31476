import type { SignedResult } from '../../../../domain/model/signed-result.ts';
import type { SignRequestService } from '../../../../domain/services/sign-request-service.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { includedPayload } from '../included-payload.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import type { SignatureAnswer } from '../schemas/answers/signature-answer.ts';
import { signRequestSchema } from '../schemas/sign-request-schema.ts';
import { readSigningRequest } from '../signing-request.ts';
import type { SigningRouteParts } from './signing-route-parts.ts';

/** `POST /sign`: one signature. */
export function signRoute(signing: SignRequestService, parts: SigningRouteParts): SigningRoute {
  const { intake, refusals, clock, log } = parts;
  const refuse: SigningRoute['refuse'] = (response, refusal) => refusals.malformed('sign', response, refusal);
  return {
    path: `${API_PREFIX}/sign`,
    shed: intake.refuseWhenFull('single'),
    refuse,
    handle: (request, response) =>
      intake.admit('single', request, response, async (sent, acquire) => {
        const received = await readSigningRequest(request, sent, signRequestSchema, clock);
        if (!received.ok) return refuse(response, received.refusal);
        if (!(await acquire())) return;

        const { body, includePayload } = received.value;
        const context = callContextOf(response);
        const outcome = await signing.sign(body, context);
        if (outcome.ok) return answerData(response, view(outcome.value, includePayload));

        const { code, cause } = outcome.refusal;
        if (cause !== undefined) {
          log.error('A signing request failed.', { errorCode: code, correlationId: context.correlationId, cause });
        }
        answerRefusal(response, outcome.refusal);
      }),
  };
}

function view(result: SignedResult, includePayload: boolean): SignatureAnswer {
  const { signature, algorithm, encoding, publicKey, signedAt, payload } = result;
  return { signature, algorithm, encoding, publicKey, signedAt, ...includedPayload(payload, includePayload) };
}
