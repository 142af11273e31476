import { respondWithText } from '../responses.ts';
import type { Endpoint } from '../route.ts';

/**
 * Serves a file of the program. Responses share its bytes.
 * @param policy Content-Security-Policy of a page or what it loads (W3C CSP Level 3)
 */
export function fileEndpoint(text: string, contentType: string, policy?: string): Endpoint {
  const bytes = Buffer.from(text);
  return {
    handle({ response }) {
      if (policy !== undefined) response.setHeader('Content-Security-Policy', policy);
      respondWithText(response, 200, contentType, bytes);
      return undefined;
    },
  };
}
