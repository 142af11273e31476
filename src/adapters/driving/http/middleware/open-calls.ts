import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { holdHead, standingHeaders } from '../answer-head.ts';
import { openCall } from '../callers/call-context.ts';

/** Of every answer, those included that are given before anything is known of the request but that it came. */
export const HEADERS_AT_THE_DOOR = standingHeaders((message) => {
  message.setHeader('Cache-Control', 'no-store');
  message.setHeader('X-Content-Type-Options', 'nosniff');
});

/**
 * Gives each request its identity, before anything can answer it.
 * @param isForwarded whether the application's `trust proxy` setting says whose `X-Forwarded-For` is believed
 */
export function openCalls(isForwarded: boolean): RequestHandler {
  const addressOf = isForwarded ? forwardedAddress : peerAddress;
  return (request, response, next) => {
    const { correlationId } = openCall(addressOf(request), request.headers, response);
    holdHead(response, correlationId, HEADERS_AT_THE_DOOR);
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
