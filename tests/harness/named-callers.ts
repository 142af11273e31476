import { identifyCaller } from '../../src/adapters/http/call-context.ts';
import type { RequestCheck } from '../../src/adapters/http/middleware/entry-checks.ts';

/** Header with the caller's name, in place of a token or certificate. */
export const CALLER = 'X-Test-Principal';

/** Identifies callers by {@link CALLER}. */
export const identify: RequestCheck = (received, response) => {
  const principal = received.get(CALLER);
  if (principal !== undefined) identifyCaller(response, principal);
  return null;
};
