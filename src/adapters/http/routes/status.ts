import { getCallContext } from '../call-context.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { malformed } from '../refusals.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { StatusResponse } from '../schemas/status-responses.ts';
import { readActivity, readStatus, type StateSources } from '../state/service-state.ts';

/** `GET /status`: health, load and configuration; with `?include=activity`, recent activity. */
export function statusRoute(sources: StateSources, refusals: RefusalRecorder): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/status`,
    queryParameters: ['include'],
    refuse: respondWithRefusal,
    async handle({ query: { include } }, response) {
      if (include !== undefined && include !== 'activity') {
        return respondWithRefusal(response, malformed('include', 'must be activity or absent (query parameter)'));
      }
      if (!(await refusals.permit('status', response))) return;
      const status: StatusResponse = readStatus(sources);
      if (include === undefined) return respondWithData(response, status);
      respondWithData(response, { ...status, activity: readActivity(sources, getCallContext(response)) });
    },
  };
}
