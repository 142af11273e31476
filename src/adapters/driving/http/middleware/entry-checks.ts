import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import type { Counting } from '../../../../ports/metrics.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf, openCall } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import {
  type HttpRefusal,
  headersTooLarge,
  malformed,
  networkNotAllowed,
  otherHttpVersion,
  pageNotServed,
} from '../http-refusal.ts';
import type { NetworkList } from '../networks/network-list.ts';
import type { ServedNetworks } from '../networks/served-networks.ts';
import { noticesTogether } from '../notices-together.ts';
import { measureRequest } from './measure-requests.ts';
import { identifyResponse } from './response-headers.ts';

/** Looks at a connection or at the head of a request: why it is refused; null where it goes on. */
export type RequestCheck = (request: Request, response: Response) => HttpRefusal | null;

/** Headers that a request may have. In memory, each takes some hundred bytes more than was sent. */
export const MAX_HEADERS = 128;

/** HTTP/1.0 is what older proxies speak to the servers behind them. */
const SERVED_VERSIONS: ReadonlySet<string> = new Set(['1.1', '1.0']);

const NETWORK_WARNING =
  'Requests from outside the allowed networks were refused. If the caller is one of yours, add its network to SIGNING_ALLOWED_NETWORKS; if it came through a proxy, name that in SIGNING_TRUSTED_PROXIES.';

const BROWSER_WARNING =
  'Requests that pages in a browser made were refused: somebody inside has a page open that calls this service.';

const UNCLEAR_LENGTH = malformed(
  '',
  'must say in one way where its body ends: Content-Length, or Transfer-Encoding: chunked',
);

/**
 * What every request passes before it is routed, in the order in which callers see refusals: it
 * gets its id and is counted; then the network it comes from, the number of its headers, its
 * version of HTTP, its framing, its Host, and whether a page in a browser made it. None of it is on
 * the audit record or in the request log.
 */
export function entryChecks(networks: ServedNetworks, metrics: Counting, log: ServiceLog): RequestHandler {
  const addressOf = networks.trustedProxies === null ? peerAddress : forwardedAddress;
  const checks: readonly RequestCheck[] = [
    allowNetworks(networks.allowed, log),
    limitHeaders,
    requireHttp1,
    rejectAmbiguousFraming,
    requireHost,
    rejectBrowsers(log),
  ];
  return (request, response, next) => {
    identifyResponse(response, openCall(addressOf(request), request.headers, response).correlationId);
    measureRequest(request, response, metrics);
    for (const check of checks) {
      const refusal = check(request, response);
      if (refusal !== null) return answerRefusal(response, refusal);
    }
    next();
  };
}

/**
 * Whether the request line names a version that is served. Node's parser takes a line without one
 * too (HTTP/0.9, whose responses have no head), and one with HTTP/2.0, whose requests have no line:
 * a response in HTTP/1.1 is none to either (RFC 9112 §2.3, §3).
 */
export function isServedVersion({ httpVersion }: IncomingMessage): boolean {
  return SERVED_VERSIONS.has(httpVersion);
}

function peerAddress({ socket }: Request): string | null {
  return socket.remoteAddress ?? null;
}

/**
 * Express's `trust proxy` gives a text; a trusted proxy may pass on one that is no address, or one
 * with a zone that means something to another machine.
 */
function forwardedAddress({ ip }: Request): string | null {
  return ip !== undefined && isIP(ip) !== 0 && !ip.includes('%') ? ip : null;
}

/**
 * Refuses callers outside the networks that are served. The service log reports them, at most once
 * a minute.
 */
function allowNetworks(allowed: NetworkList, log: ServiceLog): RequestCheck {
  let lastAddress: string | null = null;
  const notice = noticesTogether((refused) => log.warn(NETWORK_WARNING, { refused, lastAddress }));
  return (_request, response) => {
    const { remoteAddress } = callContextOf(response);
    if (remoteAddress !== null && allowed.includes(remoteAddress)) return null;
    lastAddress = remoteAddress;
    notice();
    return closing(response, networkNotAllowed());
  };
}

/**
 * Refuses a request with as many headers as the server reads. Releases of Node before 22.23.2 and
 * 24.18.1 hide those beyond `maxHeadersCount` from the application, and their parser obeys them
 * (CVE-2026-58044): Host, Origin or Transfer-Encoding may be among them.
 */
function limitHeaders({ rawHeaders }: IncomingMessage, response: Response): HttpRefusal | null {
  return rawHeaders.length < 2 * MAX_HEADERS ? null : closing(response, headersTooLarge());
}

function requireHttp1(request: IncomingMessage, response: Response): HttpRefusal | null {
  return isServedVersion(request) ? null : closing(response, otherHttpVersion());
}

/**
 * Refuses a request whose end two readers may see in two places: a proxy before this service could
 * take for one request what are two here (RFC 9112 §6.1, §11.2). Node itself refuses most of them,
 * but not a `Transfer-Encoding` that names no coding, codings before `chunked`, or that of a
 * request of HTTP/1.0, which has no chunks.
 */
function rejectAmbiguousFraming({ headers, httpVersion }: IncomingMessage, response: Response): HttpRefusal | null {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return null;
  const isClear =
    httpVersion === '1.1' && coding.toLowerCase() === 'chunked' && headers['content-length'] === undefined;
  return isClear ? null : closing(response, UNCLEAR_LENGTH);
}

/**
 * HTTP/1.1 requests have one Host header, and none has two (RFC 9112 §3.2): a proxy before this
 * service could read the other one. Node takes the first of several, and would refuse a request
 * without one with an empty body.
 */
function requireHost({ rawHeaders, httpVersion }: IncomingMessage): HttpRefusal | null {
  let count = 0;
  // Names and values alternate.
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) count += 1;
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return null;
  return malformed('', count === 0 ? 'must have a Host header' : 'must have one Host header');
}

function isHost(name: string | undefined): boolean {
  return name !== undefined && name.length === 4 && name.toLowerCase() === 'host';
}

/**
 * Refuses what a page in a browser asks for: the browser of an employee is in an allowed
 * network, whosever page it shows, and by a name that its owner points at this service (DNS
 * rebinding) the page could even read the response. Browsers say so themselves, in headers that no
 * page can leave out or change (`Origin`, Fetch Standard §3.2; `Sec-Fetch-Site`, W3C Fetch Metadata
 * §2.3). Over plain HTTP they leave both out of some GETs, which is left as it is. What a person
 * opens by its address is served.
 */
function rejectBrowsers(log: ServiceLog): RequestCheck {
  const notice = noticesTogether((refused) => log.warn(BROWSER_WARNING, { refused }));
  return (request, response) => {
    if (!isOfPage(request)) return null;
    notice();
    return closing(response, pageNotServed());
  };
}

function isOfPage({ headers }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none') return false;
  return headers['sec-fetch-mode'] !== 'navigate';
}

/**
 * What follows on the connection is neither read nor done, and a body that is on its way is not
 * waited for.
 */
function closing(response: Response, refusal: HttpRefusal): HttpRefusal {
  response.setHeader('Connection', 'close');
  return refusal;
}
