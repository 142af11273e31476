import type { ReloadService } from '../../../../domain/services/reload-service.ts';
import { callContextOf } from '../call-context.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { API_PREFIX, type Route } from '../route.ts';

/** `POST /config/reload`. It takes no body: one that comes is left unread, and Node drops it once the answer is out. */
export function configReloadRoute(reloads: Pick<ReloadService, 'reload'>): Route {
  return {
    method: 'post',
    path: `${API_PREFIX}/config/reload`,
    refuse: answerRefusal,
    async handle(_request, response) {
      const outcome = await reloads.reload('request', callContextOf(response));
      if (!outcome.ok) return answerRefusal(response, outcome.refusal);
      const { reloadedAt, changes, accountCount, platformCount } = outcome.value;
      const { added, updated, removed } = changes;
      answerData(response, { reloadedAt, changes: { added, updated, removed }, accountCount, platformCount });
    },
  };
}
