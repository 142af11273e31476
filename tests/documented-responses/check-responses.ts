/**
 * A mocha root hook that checks every response of the service, to any client, against the OpenAPI
 * document and fails the test on a mismatch.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ROUTES } from '../../src/adapters/http/route.ts';
import { listRoutes } from '../harness/served-routes.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const issues: string[] = [];
const routesByApp = new WeakMap<object, readonly string[]>();
const pending: Promise<void>[] = [];

/** The routes of the request's Express application; none if it is no API. */
function listApiRoutes(request: IncomingMessage & { readonly app?: object }): readonly string[] {
  const { app } = request;
  if (app === undefined) return [];
  const known = routesByApp.get(app) ?? listRoutes(app);
  routesByApp.set(app, known);
  return known.some((route) => route.includes(' /api/v1/')) ? known : [];
}

interface Written {
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}

/** Collects the written data and checks the complete response. */
function watch({ request, response }: Exchange, routes: readonly string[]): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const { write, end } = response;
  response.write = function (this: ServerResponse, ...args: unknown[]) {
    keep(args[0]);
    return Reflect.apply(write, this, args);
  } as typeof write;
  response.end = function (this: ServerResponse, ...args: unknown[]) {
    if (!response.writableEnded) {
      keep(args[0]);
      const written = { headers: response.getHeaders(), body: Buffer.concat(chunks).toString('utf8') };
      pending.push(check(request, response, written, routes));
    }
    return Reflect.apply(end, this, args);
  } as typeof end;
}

async function check(
  { method = '', url = '' }: IncomingMessage,
  { statusCode: status }: ServerResponse,
  { headers, body }: Written,
  routes: readonly string[],
): Promise<void> {
  if (status === 200 && isConsole(url)) return;
  // Lazily: most test files have no responses.
  const { sharedChecker } = await import('./response-checker.ts');
  const found = sharedChecker().findIssues({ method, target: url, status, headers, body, routes });
  if (found.length > 0) issues.push(`${method} ${url}, ${status}: ${found.join('; ')}: ${body.slice(0, 1000)}`);
}

/** Pages of the console are no part of the API; its errors are. */
function isConsole(target: string): boolean {
  const [path = ''] = target.split('?');
  const { console, consoleHome, consoleScript, consoleStyles } = ROUTES;
  return [console, consoleHome, consoleScript, consoleStyles].some((page) => page.path === path);
}

subscribe('http.server.request.start', (message) => {
  const exchange = message as Exchange;
  const routes = listApiRoutes(exchange.request);
  if (routes.length > 0) watch(exchange, routes);
});

/** Returns and clears the issues found so far. */
export async function takeIssues(): Promise<readonly string[]> {
  await Promise.all(pending.splice(0));
  return issues.splice(0);
}

/** Mocha root hook plugin. */
export const mochaHooks = {
  async afterEach(): Promise<void> {
    const found = await takeIssues();
    if (found.length > 0) throw new Error(`Answers are not as docs/openapi.json has them:\n${found.join('\n')}`);
  },
};
