import type { JsonObject } from '../../../../domain/model/json.ts';
import type { StatusReport, StatusService } from '../../../../domain/services/status-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { API_PREFIX, type Route } from '../route.ts';
import { uptimeText } from '../uptime-text.ts';

/** `GET /status`: how the service is. */
export function statusRoute(status: Pick<StatusService, 'report'>): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/status`,
    refuse: answerRefusal,
    handle(_request, response) {
      answerData(response, view(status.report()));
    },
  };
}

function view({ status, uptimeMs, config, accounts, performance }: StatusReport): JsonObject {
  const { path, lastLoaded, isWatching } = config;
  const { total, byPlatform } = accounts;
  const { avgSigningTimeMs, totalSigns, errorRate } = performance;
  return {
    status,
    uptime: uptimeText(uptimeMs),
    config: { path, lastLoaded, isWatching },
    accounts: { total, byPlatform },
    performance: { avgSigningTime: `${avgSigningTimeMs.toFixed(2)}ms`, totalSigns, errorRate },
  };
}
