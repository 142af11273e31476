interface Layer {
  readonly route?: { readonly path: string; readonly methods: { readonly [method: string]: boolean } };
}

interface ExpressApp {
  readonly _router?: { readonly stack: readonly Layer[] };
}

/**
 * The endpoints of an application, as OpenAPI writes them: `get /accounts/{accountId}`. Of what is
 * no application none.
 */
export function routesOf(app: unknown): readonly string[] {
  const { _router: router } = (app ?? {}) as ExpressApp;
  return [...new Set((router?.stack ?? []).flatMap(namesOf))];
}

/** What stands before a route (`passBy`) has the method alone; a route answers all other methods, too. */
function namesOf({ route }: Layer): readonly string[] {
  if (route === undefined) return [];
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  return Object.keys(route.methods)
    .filter((method) => method !== '_all')
    .map((method) => `${method} ${path}`);
}
