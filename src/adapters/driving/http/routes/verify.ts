import type { VerifiedResult } from '../../../../domain/model/verify-request.ts';
import type { VerifySignatureService } from '../../../../domain/services/verify-signature-service.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { includedPayload } from '../included-payload.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import type { VerificationAnswer } from '../schemas/answers/verification-answer.ts';
import { verifyRequestSchema } from '../schemas/verify-request-schema.ts';
import { readSigningRequest } from '../signing-request.ts';
import type { SigningRouteParts } from './signing-route-parts.ts';

/** `POST /verify`: whether a signature is an account's over some data. */
export function verifyRoute(verification: VerifySignatureService, parts: SigningRouteParts): SigningRoute {
  const { intake, refusals, clock, log } = parts;
  const refuse: SigningRoute['refuse'] = (response, refusal) => refusals.malformed('verify', response, refusal);
  return {
    path: `${API_PREFIX}/verify`,
    shed: intake.refuseWhenFull('single'),
    refuse,
    handle: (request, response) =>
      intake.admit('single', request, response, async (sent, acquire) => {
        const received = await readSigningRequest(request, sent, verifyRequestSchema, clock);
        if (!received.ok) return refuse(response, received.refusal);
        if (!(await acquire())) return;

        const { body, includePayload } = received.value;
        const context = callContextOf(response);
        const outcome = await verification.verify(body, context);
        if (outcome.ok) return answerData(response, view(outcome.value, includePayload));

        const { code, cause } = outcome.refusal;
        if (cause !== undefined) {
          log.error('A verification failed.', { errorCode: code, correlationId: context.correlationId, cause });
        }
        answerRefusal(response, outcome.refusal);
      }),
  };
}

function view({ valid, payload }: VerifiedResult, includePayload: boolean): VerificationAnswer {
  return { valid, ...includedPayload(payload, includePayload) };
}
