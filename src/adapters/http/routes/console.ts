import type { Response } from 'express';
import { Semaphore } from '../admission/semaphore.ts';
import { getCallContext } from '../call-context.ts';
import type { ConsoleQuery } from '../console/console-query.ts';
import { respondWithRefusal, respondWithText } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { CONSOLE_PATHS, type Route } from '../route.ts';
import { readActivity, readStatus, type StateSources } from '../state/service-state.ts';

/** Concurrent pages; each reads all accounts. */
const PAGES = { permits: 1, maxWaiting: 16, maxWaitMs: 5000 };

/** The read-only console, an HTML page, and its script. Its modules are loaded on first use. */
export function consoleRoutes(
  sources: StateSources,
  refusals: RefusalRecorder,
  paths: readonly string[],
): readonly Route[] {
  const { accounts, clock, registry, readiness, intake } = sources;
  const pages = new Semaphore(PAGES);

  async function respondWithPage(response: Response, query: ConsoleQuery): Promise<void> {
    const caller = getCallContext(response);
    if (!(await refusals.permit('status', response))) return;

    const [{ consolePage, CONSOLE_POLICY }, { readAccountTable }] = await Promise.all([
      import('../console/console-page.ts'),
      import('../console/account-table.ts'),
    ]);
    const mayRead = registry.current.permissions.allows(caller.principal, 'read');
    const text = consolePage({
      ...{ status: readStatus(sources), activity: readActivity(sources, caller) },
      ...{ readiness: await readiness.report(), query },
      accounts: mayRead ? await readAccountTable(accounts, caller, query, clock) : null,
      now: clock.now(),
    });
    response.setHeader('Content-Security-Policy', CONSOLE_POLICY);
    respondWithText(response, 200, 'text/html; charset=utf-8', text);
  }

  const page = (path: string): Route => ({
    method: 'get',
    path,
    queryParameters: ['q', 'sort', 'page'],
    refuse: respondWithRefusal,
    async handle(request, response) {
      const { readConsoleQuery } = await import('../console/console-query.ts');
      const query = readConsoleQuery(request);
      if (!query.ok) return respondWithRefusal(response, query.refusal);
      const release = await pages.acquire(response);
      if (release === null) return intake.refuse(response);
      try {
        await respondWithPage(response, query.value);
      } finally {
        release();
      }
    },
  });
  const script: Route = {
    method: 'get',
    path: CONSOLE_PATHS.script,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(_request, response) {
      const { CONSOLE_SCRIPT } = await import('../console/console-script.ts');
      respondWithText(response, 200, 'text/javascript; charset=utf-8', CONSOLE_SCRIPT);
    },
  };
  return [...paths.map(page), script];
}
