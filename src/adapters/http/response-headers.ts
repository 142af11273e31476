import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

type HeaderSetter = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Security headers for a JSON API: `nosniff`, a closed Content-Security-Policy, HSTS with TLS only
 * (RFC 6797 §7.2). Helmet's others are for pages.
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

/** Headers of every response: the request ID, under both names, and no caching. */
export function setCallHeaders(response: ServerResponse, correlationId: string): void {
  response.setHeader('X-Request-Id', correlationId);
  response.setHeader('X-Correlation-Id', correlationId);
  response.setHeader('Cache-Control', 'no-store');
}
