import { accepted } from '../../../domain/model/outcome.ts';
import { API_PREFIX, CONSOLE_PATHS, DOCUMENT_PATHS, HEALTH_PATHS, METRICS_PATH, type Route } from '../route.ts';
import type { ReloadResponse } from '../schemas/reload-responses.ts';
import type { StateSources } from '../state/service-state.ts';
import { accountEndpoint, accountsEndpoint } from './accounts.ts';
import { CONSOLE_SCRIPT_ENDPOINT, consoleEndpoint } from './console.ts';
import { documentEndpoints } from './documents.ts';
import { signBatchEndpoint, signEndpoint, verifyEndpoint } from './signing.ts';
import { LIVENESS, metricsEndpoint, readinessEndpoint, statusEndpoint } from './state.ts';

/** Every endpoint of one port. */
export type RouteTable = readonly Route[];

/** Health, which is open: brief where the status needs identification. */
export function healthRoutes(sources: StateSources, isBrief: boolean): RouteTable {
  return [
    { method: 'get', path: HEALTH_PATHS.alive, operation: 'open', ...LIVENESS },
    { method: 'get', path: HEALTH_PATHS.ready, operation: 'open', ...readinessEndpoint(sources, isBrief) },
  ];
}

/** The endpoints of callers, the most frequent first. */
export function callerRoutes(sources: StateSources): RouteTable {
  const documents = documentEndpoints(sources);
  const account = accountEndpoint(sources);
  return [
    { method: 'post', path: `${API_PREFIX}/sign`, operation: 'sign', ...signEndpoint(sources) },
    { method: 'post', path: `${API_PREFIX}/sign/batch`, operation: 'sign', ...signBatchEndpoint(sources) },
    { method: 'post', path: `${API_PREFIX}/verify`, operation: 'verify', ...verifyEndpoint(sources) },
    { method: 'get', path: `${API_PREFIX}/accounts`, operation: 'read', ...accountsEndpoint(sources) },
    { method: 'get', path: `${API_PREFIX}/accounts/:platformId/:accountId`, operation: 'read', ...account },
    { method: 'get', path: DOCUMENT_PATHS.openApi, operation: 'open', ...documents.openApi },
    { method: 'get', path: DOCUMENT_PATHS.page, operation: 'open', ...documents.page },
  ];
}

/** The endpoints of operators. On a port of their own, metrics are open and the console is at `/`. */
export function operatorRoutes(sources: StateSources, hasOwnPort: boolean): RouteTable {
  const { reloads, hasConsole } = sources;
  const page = { method: 'get', operation: 'status', isPage: true, ...consoleEndpoint(sources) } as const;
  const console: RouteTable = [
    ...(hasOwnPort ? [{ ...page, path: CONSOLE_PATHS.home }] : []),
    { ...page, path: CONSOLE_PATHS.page },
    { method: 'get', path: CONSOLE_PATHS.script, operation: 'status', isPage: true, ...CONSOLE_SCRIPT_ENDPOINT },
  ];
  return [
    {
      method: 'post',
      path: `${API_PREFIX}/config/reload`,
      operation: 'reload',
      async handle({ context }) {
        const outcome = await reloads.reload('request', context);
        return outcome.ok ? accepted(outcome.value satisfies ReloadResponse) : outcome;
      },
    },
    { method: 'get', path: `${API_PREFIX}/status`, operation: 'status', ...statusEndpoint(sources) },
    {
      method: 'get',
      path: METRICS_PATH,
      operation: hasOwnPort ? 'open' : 'status',
      ...metricsEndpoint(sources),
    },
    ...(hasConsole ? console : []),
  ];
}
