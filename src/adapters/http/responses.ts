import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import helmet from 'helmet';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import type { JsonValue } from '../../domain/model/json.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import type { Clock } from '../../ports/clock.ts';
import { isBodyArriving } from './connections/close-connection.ts';
import { READ_TIMEOUT_MS } from './limits.ts';
import { toError, toHeaders } from './refusals.ts';

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

/** Header with a ResponseAuthInfo. */
const RESPONSE_HEADER = 'Signing-Response-Auth';

/** Signs a status and the SHA-256 of a body; returns the header's value. */
export type ResponseSigner = (status: number, bodyDigest: Buffer) => string;

/** Makes the response to this request signed. */
export function signResponseWith(response: Response, signer: ResponseSigner): void {
  response.locals['responseSigner'] = signer;
}

/**
 * The signer of a response; null for anonymous callers and closed connections, since a stop wipes
 * the key.
 */
function getResponseSigner(response: ServerResponse): ResponseSigner | null {
  if (response.destroyed) return null;
  return ((response as Response).locals?.['responseSigner'] as ResponseSigner | undefined) ?? null;
}

/**
 * Signs for an authenticated caller: sets the signature header over the sent body (empty for HEAD)
 * and the final status.
 */
function signResponse(response: ServerResponse, chunks: Iterable<string | Buffer>): void {
  const signer = getResponseSigner(response);
  if (signer === null) return;
  const hash = createHash('sha256');
  if (response.req.method !== 'HEAD') for (const chunk of chunks) hash.update(chunk);
  response.setHeader(RESPONSE_HEADER, signer(response.statusCode, hash.digest()));
}

/** Content type of JSON responses. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

const STORED_REFUSALS = new WeakMap<ServerResponse, Refusal>();

/** The refusal that a response carries, if any. */
export function getRefusal(response: ServerResponse): Refusal | undefined {
  return STORED_REFUSALS.get(response);
}

/** The error envelope: `{"success":false,"error":{"code","message","details"}}`. */
export function formatError(refusal: Refusal): string {
  return JSON.stringify({ success: false, error: toError(refusal) });
}

/** Responds 200 with `{"success":true,"data"}`. */
export function respondWithData(response: ServerResponse, data: JsonValue): void {
  respondWithText(response, 200, JSON_CONTENT_TYPE, JSON.stringify({ success: true, data }));
}

/** Responds with the error envelope, its status and the headers that belong to it. */
export function respondWithRefusal(response: ServerResponse, refusal: Refusal): void {
  for (const [name, value] of Object.entries(toHeaders(refusal))) response.setHeader(name, value);
  STORED_REFUSALS.set(response, refusal);
  respondWithText(response, refusal.row.status, JSON_CONTENT_TYPE, formatError(refusal));
}

/**
 * Responds with a whole text or its bytes, signed for an authenticated caller. A response before the
 * end of the body, which closes the connection, waits for what came with the head.
 *
 * Not `response.json`, which may send 304 (If-None-Match: *). Non-ASCII text becomes bytes, since
 * `writableLength` counts text in characters.
 */
export function respondWithText(
  response: ServerResponse,
  status: number,
  contentType: string,
  text: string | Buffer,
): void {
  const length = Buffer.byteLength(text);
  response.statusCode = status;
  signResponse(response, [text]);
  const send = () => {
    response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': length });
    response.end(typeof text === 'string' && length > text.length ? Buffer.from(text) : text);
  };
  if (isBodyArriving(response.req)) setImmediate(send);
  else send();
}

/**
 * Maximum duration, milliseconds: 20 MB at 170 kB a second. Slow readers would block the few
 * streams.
 */
const TOTAL_TIMEOUT_MS = 120_000;

type Chunks = Iterable<string> | AsyncIterable<string>;

/**
 * Responds 200 with a text too long to hold: makes each chunk once the caller has read the last,
 * and yields between. Cuts off slow callers. Signed responses are made first, since the signature
 * is a header.
 */
export async function streamResponse(
  response: ServerResponse,
  chunks: Chunks,
  clock: Clock,
  { readTimeoutMs = READ_TIMEOUT_MS, totalTimeoutMs = TOTAL_TIMEOUT_MS, contentType = JSON_CONTENT_TYPE } = {},
): Promise<void> {
  const deadline = performance.now() + totalTimeoutMs;
  response.statusCode = 200;
  response.setHeader('Content-Type', contentType);
  const slice = new TimeSlice(clock);
  for await (const chunk of await signAll(response, chunks, slice)) {
    const leftMs = Math.min(readTimeoutMs, deadline - performance.now());
    if (chunk !== '' && !response.write(chunk) && !(await isDrained(response, leftMs))) response.destroy();
    if (response.destroyed) return;
    await slice.yieldIfExpired();
  }
  response.end();
}

async function signAll(response: ServerResponse, chunks: Chunks, slice: TimeSlice): Promise<Chunks> {
  if (getResponseSigner(response) === null) return chunks;
  const rendered: string[] = [];
  for await (const chunk of chunks) {
    rendered.push(chunk);
    await slice.yieldIfExpired();
    if (response.destroyed) return rendered;
  }
  // The caller may have gone, and a stop have wiped the key.
  signResponse(response, rendered);
  return rendered;
}

/** Waits until data is sent; false if the caller left or is too slow. */
function isDrained(response: ServerResponse, readTimeoutMs: number): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isSent: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(isSent);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, readTimeoutMs);
    response.once('drain', onDrain).once('close', onClose);
  });
}
