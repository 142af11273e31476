import type { RequestedReloadService } from '../../../../domain/services/requested-reload-service.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';
import { skipBody } from '../request-body.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { ReloadAnswer } from '../schemas/answers/reload-answers.ts';

/**
 * `POST /config/reload`. It takes no body: one that comes is dropped, unless it is larger than
 * bodies may be.
 */
export function configReloadRoute(reloads: RequestedReloadService, refusals: RecordedRefusals): Route {
  return {
    method: 'post',
    path: `${API_PREFIX}/config/reload`,
    queryParameters: [],
    // With another method nobody asked for a reload.
    refuse: (response, refusal) =>
      refusal.code === 'METHOD_NOT_ALLOWED'
        ? answerRefusal(response, refusal)
        : refusals.malformed('reload', response, refusal),
    async handle(request, response) {
      const skipped = await skipBody(request);
      if (!skipped.ok) return refusals.malformed('reload', response, skipped.refusal);
      const outcome = await reloads.request(callContextOf(response));
      if (!outcome.ok) return answerRefusal(response, outcome.refusal);
      answerData(response, outcome.value satisfies ReloadAnswer);
    },
  };
}
