import type { HttpRefusal } from './http-refusal.ts';

/** `Retry-After` of a refusal, whole seconds and at least one (RFC 9110 §10.2.3); undefined for one that says no time. */
export function retryAfterOf({ details }: HttpRefusal): number | undefined {
  const { retryAfterSeconds, retryAfterMs } = details;
  if (typeof retryAfterSeconds === 'number') return retryAfterSeconds;
  if (typeof retryAfterMs === 'number') return Math.max(1, Math.ceil(retryAfterMs / 1000));
  return undefined;
}
