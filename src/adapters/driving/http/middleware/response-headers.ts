import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type HeaderSetter = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Sets the headers of every response that mean something to the caller of a JSON API: `nosniff`, a
 * Content-Security-Policy that lets a browser load and frame nothing, and HSTS under TLS (RFC 6797
 * §7.2 forbids it without). The other headers of helmet are about pages.
 */
export function responseHeaders(isTls: boolean): HeaderSetter {
  const none = ["'none'"];
  const directives = { defaultSrc: none, baseUri: none, formAction: none, frameAncestors: none };
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: isTls,
    xContentTypeOptions: true,
    crossOriginOpenerPolicy: false,
    crossOriginResourcePolicy: false,
    originAgentCluster: false,
    referrerPolicy: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xPoweredBy: false,
    xXssProtection: false,
  });
}

/**
 * Gives the response the id of its request under the name by which callers may send theirs, and by
 * its own. No response may be stored.
 */
export function identifyResponse(response: ServerResponse, correlationId: string): void {
  response.setHeader('X-Request-Id', correlationId);
  response.setHeader('X-Correlation-Id', correlationId);
  response.setHeader('Cache-Control', 'no-store');
}
