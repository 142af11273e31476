import type { JsonObject } from '../../../../domain/model/json.ts';
import type { UsageSharing } from '../../../../domain/model/usage.ts';
import type { StatusReport, StatusService } from '../../../../domain/services/status-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import { reloadView } from '../reload-view.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { TlsCertificate } from '../tls-certificate.ts';
import { uptimeText } from '../uptime-text.ts';

/** `GET /status`: how the service is, and how much it has to do. `tls` is null for HTTP. */
export function statusRoute(
  status: Pick<StatusService, 'report'>,
  intake: Pick<SigningIntake, 'load'>,
  tls: Pick<TlsCertificate, 'report'> | null,
): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/status`,
    refuse: answerRefusal,
    handle(_request, response) {
      answerData(response, { ...view(status.report()), load: { ...intake.load }, tls: tls?.report() ?? null });
    },
  };
}

function view({ status, uptimeMs, config, accounts, performance, usage }: StatusReport): JsonObject {
  const { path, lastLoaded, isWatching, lastReload, reloads } = config;
  const { total, byPlatform } = accounts;
  const { avgSigningTimeMs, totalSigns, errorRate } = performance;
  return {
    status,
    uptime: uptimeText(uptimeMs),
    config: {
      ...{ path, lastLoaded, isWatching },
      lastReload: reloadView(lastReload),
      reloads: { ...reloads },
    },
    accounts: { total, byPlatform },
    performance: { avgSigningTime: `${avgSigningTimeMs.toFixed(2)}ms`, totalSigns, errorRate },
    usage: usageView(usage),
  };
}

function usageView(usage: UsageSharing): JsonObject {
  if (usage.mode === 'alone') {
    return { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 };
  }
  const { state, since, reason, replicas } = usage;
  return { shared: true, state, behindSince: since, reason, replicas };
}
