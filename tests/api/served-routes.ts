import type { Server } from '../../src/adapters/driving/http/server-type.ts';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: { readonly [method: string]: boolean } };
}

interface ExpressApp {
  readonly _router?: { readonly stack: readonly Layer[] };
}

/** The endpoints that a server's application has, as OpenAPI writes them: `get /accounts/{accountId}`. Of a server of another kind none. */
export function routesOf(server: Pick<Server, 'listeners'>): readonly string[] {
  const routes = server.listeners('request').flatMap((listener) => (listener as ExpressApp)._router?.stack ?? []);
  return [...new Set(routes.flatMap(namesOf))];
}

/** What stands before a route (`passBy`) has the method alone; a route answers all other methods, too. */
function namesOf({ route }: Layer): readonly string[] {
  if (route === undefined) return [];
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  return Object.keys(route.methods)
    .filter((method) => method !== '_all')
    .map((method) => `${method} ${path}`);
}
