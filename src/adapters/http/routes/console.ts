import { refused } from '../../../domain/model/refusal.ts';
import type { CallContext } from '../../../domain/model/sign-request.ts';
import { Semaphore } from '../admission/semaphore.ts';
import type { ConsoleQuery } from '../console/console-query.ts';
import { respondWithText } from '../responses.ts';
import type { Endpoint } from '../route.ts';
import { readActivity, readStatus, type StateSources } from '../state/read-state.ts';

/** Concurrent pages; each reads all accounts. */
const PAGES = { permits: 1, maxWaiting: 16, maxWaitMs: 5000 };

/** The read-only console, an HTML page. Its modules are loaded on first use. */
export function consoleEndpoint(sources: StateSources): Endpoint<ConsoleQuery> {
  const { accounts, clock, registry, readiness, gate } = sources;
  const pages = new Semaphore(PAGES);

  async function renderPage(query: ConsoleQuery, caller: CallContext) {
    const [{ consolePage, CONSOLE_POLICY }, { readAccountTable }] = await Promise.all([
      import('../console/console-page.ts'),
      import('../console/account-table.ts'),
    ]);
    const mayRead = registry.current.permissions.allows(caller.principal, 'read');
    const text = consolePage({
      ...{ status: readStatus(sources, (await sources.usage.sum([])).totals), activity: readActivity(sources, caller) },
      ...{ readiness: await readiness.report(), query },
      accounts: mayRead ? await readAccountTable(accounts, caller, query, clock) : null,
      now: clock.now(),
    });
    return { text, policy: CONSOLE_POLICY };
  }

  return {
    queryParameters: ['q', 'sort', 'page'],
    readQuery: async (query) => (await import('../console/console-query.ts')).readConsoleQuery(query),
    async handle({ query, context, response }) {
      const release = await pages.acquire(response);
      if (release === null) return refused(gate.admission.refuse(response));
      try {
        const { text, policy } = await renderPage(query, context);
        response.setHeader('Content-Security-Policy', policy);
        respondWithText(response, 200, 'text/html; charset=utf-8', text);
        return undefined;
      } finally {
        release();
      }
    },
  };
}

/** The script of the console. */
export const CONSOLE_SCRIPT_ENDPOINT: Endpoint = {
  async handle({ response }) {
    const { CONSOLE_SCRIPT } = await import('../console/console-script.ts');
    respondWithText(response, 200, 'text/javascript; charset=utf-8', CONSOLE_SCRIPT);
    return undefined;
  },
};
