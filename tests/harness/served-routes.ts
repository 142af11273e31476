interface Layer {
  readonly route?: { readonly path: string; readonly methods: { readonly [method: string]: boolean } };
}

interface ExpressApp {
  readonly _router?: { readonly stack: readonly Layer[] };
}

/** The endpoints of an application in OpenAPI notation: `get /accounts/{accountId}`. */
export function listRoutes(app: unknown): readonly string[] {
  const { _router: router } = (app ?? {}) as ExpressApp;
  return [...new Set((router?.stack ?? []).flatMap(listMethods))];
}

/** `_all` responds 405 to other methods. */
function listMethods({ route }: Layer): readonly string[] {
  if (route === undefined) return [];
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  return Object.keys(route.methods)
    .filter((method) => method !== '_all')
    .map((method) => `${method} ${path}`);
}
