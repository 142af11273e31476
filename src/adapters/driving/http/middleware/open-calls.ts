import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { openCall } from '../callers/call-context.ts';

/** Response headers that carry the correlationId of the audit records and log lines: by the name under which callers may send their own, and by its own. */
const REQUEST_ID_HEADER = 'X-Request-Id';
const CORRELATION_HEADER = 'X-Correlation-Id';

/**
 * Gives each request its identity, before anything can answer it.
 * @param isForwarded whether the application's `trust proxy` setting says whose `X-Forwarded-For` is believed
 */
export function openCalls(isForwarded: boolean): RequestHandler {
  const addressOf = isForwarded ? forwardedAddress : peerAddress;
  return (request, response, next) => {
    const { correlationId } = openCall(addressOf(request), request.headers, response);
    response.setHeader(REQUEST_ID_HEADER, correlationId);
    response.setHeader(CORRELATION_HEADER, correlationId);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  };
}

function peerAddress({ socket }: Request): string | null {
  return socket.remoteAddress ?? null;
}

/** A trusted proxy may pass on a text that is no address, or one with a zone that means something to another machine. */
function forwardedAddress({ ip }: Request): string | null {
  return ip !== undefined && isIP(ip) !== 0 && !ip.includes('%') ? ip : null;
}
