import type { VerifiedResult } from '../../../domain/model/sign-request.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import { getCallContext, nameCalledPlatform } from '../call-context.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import { logFailures } from '../middleware/failure-log.ts';
import { readSigningRequest } from '../read-signing-request.ts';
import { API_PREFIX, type SigningRoute } from '../route.ts';
import { verifyRequestSchema } from '../schemas/requests.ts';
import type { VerificationResponse } from '../schemas/signature-responses.ts';
import { includedPayload, type SigningRouteDependencies, withoutValues } from './sign.ts';

/** `POST /verify`: verifies a signature. */
export function verifyRoute(signing: SignRequestService, parts: SigningRouteDependencies): SigningRoute {
  const { intake, refusals, clock, log } = parts;
  const refuse: SigningRoute['refuse'] = (response, refusal) => refusals.malformed('verify', response, refusal);
  return {
    path: `${API_PREFIX}/verify`,
    shed: intake.refuseWhenFull('single'),
    refuse,
    handle: (request, response) =>
      intake.admit('single', request, response, async (sent, acquire) => {
        const received = await readSigningRequest(request, sent, verifyRequestSchema, clock, {
          include: ['payload'],
        });
        if (!received.ok) return refuse(response, received.refusal);
        nameCalledPlatform(response, received.value.body.platformId);
        if (!(await acquire())) return;

        const { body, include } = received.value;
        const context = getCallContext(response);
        const outcome = await signing.verify(body, context);
        if (outcome.ok) return respondWithData(response, toResponse(outcome.value, include.has('payload')));

        const { platformId, accountId } = body;
        logFailures(log, 'Verification failed.', [{ platformId, accountId, refusal: outcome.refusal }], context);
        respondWithRefusal(response, outcome.refusal);
      }),
  };
}

function toResponse({ valid, payload }: VerifiedResult, includePayload: boolean): VerificationResponse {
  return { valid, ...includedPayload(withoutValues(payload), includePayload) };
}
