import type { ReloadService } from '../../../domain/services/reload-service.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { skipBody } from '../request-body.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { ReloadResponse } from '../schemas/reload-responses.ts';

/** `POST /config/reload`. Drains and ignores a body within the size limit. */
export function configReloadRoute(reloads: Pick<ReloadService, 'reload'>, refusals: RefusalRecorder): Route {
  return {
    method: 'post',
    path: `${API_PREFIX}/config/reload`,
    queryParameters: [],
    // Other methods do not request a reload, so they are not recorded.
    refuse: (response, refusal) =>
      refusal.code === 'METHOD_NOT_ALLOWED'
        ? respondWithRefusal(response, refusal)
        : refusals.malformed('reload', response, refusal),
    async handle(request, response) {
      const skipped = await skipBody(request);
      if (!skipped.ok) return refusals.malformed('reload', response, skipped.refusal);
      if (!(await refusals.permit('reload', response))) return;
      const outcome = await reloads.reload('request', getCallContext(response));
      if (!outcome.ok) return respondWithRefusal(response, outcome.refusal);
      respondWithData(response, outcome.value satisfies ReloadResponse);
    },
  };
}
