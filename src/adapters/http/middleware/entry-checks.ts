import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { AppDependencies } from '../app.ts';
import { getCallContext, openCall } from '../call-context.ts';
import type { NetworkList } from '../callers/network-list.ts';
import { MAX_HEADERS } from '../limits.ts';
import { malformed, refuseRequest } from '../refusals.ts';
import { setCallHeaders } from '../response-headers.ts';
import { respondWithRefusal } from '../responses.ts';
import { type Observers, observeRequest } from './request-observer.ts';

/** Checks a connection or request head; null to continue. */
export type RequestCheck = (request: Request, response: Response) => Refusal | null;

const AMBIGUOUS_FRAMING = malformed(
  '',
  'must delimit its body in exactly one way: Content-Length or Transfer-Encoding: chunked',
);

const NETWORK_WARNING =
  'Requests from outside the allowed networks were rejected. If the caller is legitimate, add its network to SIGNING_ALLOWED_NETWORKS; if it came through a proxy, add the proxy to SIGNING_TRUSTED_PROXIES.';

const BROWSER_WARNING =
  'Requests from web pages were rejected: a browser in an allowed network has a page open that calls this service.';

/**
 * The checks of every request before routing, in order. Refusals are counted, but not recorded or
 * logged as requests.
 * @param consolePaths paths that the console may read; none without it
 */
export function entryChecks(
  dependencies: Observers & Pick<AppDependencies, 'allowedNetworks' | 'trustedProxies'>,
  consolePaths: ReadonlySet<string>,
): RequestHandler {
  const { allowedNetworks, trustedProxies, log } = dependencies;
  const getAddress = trustedProxies === null ? peerAddress : forwardedAddress;
  const checks: readonly RequestCheck[] = [
    allowNetworks(allowedNetworks, log),
    limitHeaders,
    rejectAmbiguousFraming,
    requireHost,
    rejectBrowsers(log, consolePaths),
  ];
  return (request, response, next) => {
    setCallHeaders(response, openCall(getAddress(request), request.headers, response).correlationId);
    observeRequest(request, response, dependencies);
    for (const check of checks) {
      const refusal = check(request, response);
      if (refusal !== null) return respondWithRefusal(response, refusal);
    }
    next();
  };
}

function peerAddress({ socket }: Request): string | null {
  return socket.remoteAddress ?? null;
}

/** A proxy may forward invalid addresses, or zones of another machine. */
function forwardedAddress({ ip }: Request): string | null {
  return ip !== undefined && isIP(ip) !== 0 && !ip.includes('%') ? ip : null;
}

/** Rejects callers outside the allowed networks; reports them at most once a minute. */
function allowNetworks(allowed: NetworkList, log: ServiceLog): RequestCheck {
  return (_request, response) => {
    const { remoteAddress } = getCallContext(response);
    if (remoteAddress !== null && allowed.includes(remoteAddress)) return null;
    log.warn(NETWORK_WARNING, { lastAddress: remoteAddress }, { topic: 'foreign requests', countAs: 'refused' });
    return closeAfter(response, refuseRequest('NetworkNotAllowed'));
  };
}

/**
 * Rejects requests with too many headers: older Node (before 22.23.2, 24.18.1) obeys
 * further ones, such as Host or Transfer-Encoding, but hides them (CVE-2026-58044).
 */
function limitHeaders({ rawHeaders }: IncomingMessage, response: Response): Refusal | null {
  return rawHeaders.length <= 2 * MAX_HEADERS ? null : closeAfter(response, refuseRequest('HeadersTooLarge'));
}

/**
 * Rejects framing that a proxy may read in another way (RFC 9112 §6.1, §11.2) and Node accepts:
 * empty and unknown codings, codings before `chunked`, and any in HTTP/1.0.
 */
function rejectAmbiguousFraming({ headers, httpVersion }: IncomingMessage, response: Response): Refusal | null {
  const coding = headers['transfer-encoding'];
  const isClear = coding === undefined || (coding.toLowerCase() === 'chunked' && httpVersion === '1.1');
  return isClear ? null : closeAfter(response, AMBIGUOUS_FRAMING);
}

/** HTTP/1.1 needs a Host (RFC 9112 §3.2). Node's own check responds without the envelope. */
function requireHost({ headers, httpVersion }: IncomingMessage): Refusal | null {
  return headers.host === undefined && httpVersion === '1.1' ? malformed('', 'must have a Host header') : null;
}

/**
 * Rejects web pages: an employee's browser is in an allowed network, and DNS rebinding lets a page
 * read the response. Pages cannot omit or forge `Origin` (Fetch Standard §3.2) and `Sec-Fetch-Site`
 * (W3C Fetch Metadata §2.3); some GETs over plain HTTP have neither. Navigation is allowed.
 */
function rejectBrowsers(log: ServiceLog, consolePaths: ReadonlySet<string>): RequestCheck {
  return (request) => {
    if (!isFromPage(request) || isFromConsole(request, consolePaths)) return null;
    log.warn(BROWSER_WARNING, {}, { topic: 'requests of pages', countAs: 'refused' });
    return refuseRequest('BrowserRequest');
  };
}

function isFromPage({ headers }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate';
}

/**
 * A read by the console, the only page of this service with a script. Browsers send
 * `Sec-Fetch-Site` only to trustworthy addresses, which are HTTPS, where the certificate proves the
 * name, and the loopback by its own names (Fetch Metadata §2, Secure Contexts §3.1). A page of
 * another name that was rebound to this address therefore never sends `same-origin`, and no page
 * can forge it.
 */
function isFromConsole({ method, headers, path }: Request, consolePaths: ReadonlySet<string>): boolean {
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers['sec-fetch-site'] === 'same-origin' &&
    consolePaths.has(path)
  );
}

/** Skips the rest of the connection. */
function closeAfter(response: Response, refusal: Refusal): Refusal {
  response.setHeader('Connection', 'close');
  return refusal;
}
