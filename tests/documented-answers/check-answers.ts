/** For mocha: every answer that an application of this service gives in a process of tests, to whichever client, has to be as the OpenAPI document has it; else the test in which it was given fails. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { routesOf } from '../api/served-routes.ts';
import type { AnswerChecker } from './answer-checker.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const faults: string[] = [];
const routesOfApps = new WeakMap<object, readonly string[]>();
const pending: Promise<void>[] = [];

let checker: Promise<AnswerChecker> | undefined;

/** Loaded with the first answer: most files of tests have none. */
async function loadChecker(): Promise<AnswerChecker> {
  const { AnswerChecker } = await import('./answer-checker.ts');
  return new AnswerChecker();
}

/**
 * The routes of the application that gets this request: Express gives its requests the application.
 * Elsewhere none.
 */
function apiRoutesOf(request: IncomingMessage & { readonly app?: object }): readonly string[] {
  const { app } = request;
  if (app === undefined) return [];
  const known = routesOfApps.get(app) ?? routesOf(app);
  routesOfApps.set(app, known);
  return known.some((route) => route.includes(' /api/v1/')) ? known : [];
}

interface Written {
  readonly headers: { readonly [name: string]: unknown };
  readonly body: string;
}

/** Keeps what is written, and has it checked once it is whole. */
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
  checker ??= loadChecker();
  const found = (await checker).faultsOf({ method, target: url, status, headers, body, routes });
  if (found.length > 0) faults.push(`${method} ${url}, ${status}: ${found.join('; ')}: ${body.slice(0, 1000)}`);
}

subscribe('http.server.request.start', (message) => {
  const exchange = message as Exchange;
  const routes = apiRoutesOf(exchange.request);
  if (routes.length > 0) watch(exchange, routes);
});

/** What was found since this was last called; then forgotten. */
export async function takeFaults(): Promise<readonly string[]> {
  await Promise.all(pending.splice(0));
  return faults.splice(0);
}

/** See mocha's root hook plugins. */
export const mochaHooks = {
  async afterEach(): Promise<void> {
    const found = await takeFaults();
    if (found.length > 0) throw new Error(`Answers are not as docs/openapi.json has them:\n${found.join('\n')}`);
  },
};
