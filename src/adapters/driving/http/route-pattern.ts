import type { Request } from 'express';

/** The pattern of the route that took a request, which holds nothing that its caller wrote; null where none did. */
export function routePatternOf(request: Request): string | null {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? null;
}
