import { accepted } from '../../../domain/model/refusal.ts';
import { ROUTES, type Route } from '../route.ts';
import type { ReloadResponse } from '../schemas/reload-responses.ts';
import type { StateSources } from '../state/service-state.ts';
import { accountEndpoint, accountsEndpoint } from './accounts.ts';
import { CONSOLE_SCRIPT_ENDPOINT, consoleEndpoint } from './console.ts';
import { documentEndpoints } from './documents.ts';
import { signBatchEndpoint, signEndpoint, verifyEndpoint } from './signing.ts';
import { LIVENESS, metricsEndpoint, readinessEndpoint, statusEndpoint } from './state.ts';

/** Health, which is open: brief where the status needs identification. */
export function healthRoutes(sources: StateSources, isBrief: boolean): readonly Route[] {
  return [
    { ...ROUTES.isAlive, ...LIVENESS },
    { ...ROUTES.isReady, ...readinessEndpoint(sources, isBrief) },
  ];
}

/** The endpoints of callers, the most frequent first. */
export function callerRoutes(sources: StateSources): readonly Route[] {
  const documents = documentEndpoints(sources);
  return [
    { ...ROUTES.sign, ...signEndpoint(sources) },
    { ...ROUTES.signBatch, ...signBatchEndpoint(sources) },
    { ...ROUTES.verify, ...verifyEndpoint(sources) },
    { ...ROUTES.listAccounts, ...accountsEndpoint(sources) },
    { ...ROUTES.getAccount, ...accountEndpoint(sources) },
    { ...ROUTES.getApiDocument, ...documents.openApi },
    { ...ROUTES.getApiPage, ...documents.page },
  ];
}

/** The endpoints of operators. On a port of their own, metrics are open and the console is at `/`. */
export function operatorRoutes(sources: StateSources, hasOwnPort: boolean): readonly Route[] {
  const { reloads, hasConsole } = sources;
  const page = consoleEndpoint(sources);
  const console: readonly Route[] = [
    { ...ROUTES.console, ...page },
    { ...ROUTES.consoleScript, ...CONSOLE_SCRIPT_ENDPOINT },
    ...(hasOwnPort ? [{ ...ROUTES.consoleHome, ...page }] : []),
  ];
  return [
    {
      ...ROUTES.reloadConfiguration,
      async handle({ context }) {
        const outcome = await reloads.reload('request', context);
        return outcome.ok ? accepted(outcome.value satisfies ReloadResponse) : outcome;
      },
    },
    { ...ROUTES.getStatus, ...statusEndpoint(sources) },
    { ...ROUTES.getMetrics, ...(hasOwnPort && { operation: 'open' as const }), ...metricsEndpoint(sources) },
    ...(hasConsole ? console : []),
  ];
}
