import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../domain/model/json.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import { getResponseSigner, signResponse } from './callers/response-signer.ts';
import { isBodyArriving } from './connections/close-connection.ts';
import { toError, toHeaders } from './refusals.ts';

/** Content type of JSON responses. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

const REFUSALS = new WeakMap<ServerResponse, Refusal>();

const DECIDED = new WeakSet<ServerResponse>();

/** Marks a response as decided while it is still being prepared. */
export function markResponseDecided(response: ServerResponse): void {
  DECIDED.add(response);
}

/** Whether a response was sent or is being prepared. */
export function isResponseDecided(response: ServerResponse): boolean {
  return response.headersSent || DECIDED.has(response);
}

/** The refusal that a response carries, if any. */
export function getRefusal(response: ServerResponse): Refusal | undefined {
  return REFUSALS.get(response);
}

/** Stores a refusal for metrics and log; the first one wins. */
export function storeRefusal(response: ServerResponse, refusal: Refusal): void {
  if (!REFUSALS.has(response)) REFUSALS.set(response, refusal);
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
  storeRefusal(response, refusal);
  respondWithText(response, refusal.row.status, JSON_CONTENT_TYPE, formatError(refusal));
}

/**
 * Responds with a whole text, signed for an authenticated caller. A response before the end of the
 * body, which closes the connection, waits for what came with the head.
 *
 * Not `response.json`, which may send 304 (If-None-Match: *). Non-ASCII text becomes bytes, since
 * `writableLength` counts text in characters.
 */
export function respondWithText(response: ServerResponse, status: number, contentType: string, text: string): void {
  const length = Buffer.byteLength(text);
  const signer = getResponseSigner(response);
  response.statusCode = status;
  if (signer !== null) signResponse(response, signer, [text]);
  const send = () => {
    response.writeHead(status, { 'Content-Type': contentType, 'Content-Length': length });
    response.end(length === text.length ? text : Buffer.from(text));
  };
  if (!isBodyArriving(response.req)) {
    send();
    return;
  }
  markResponseDecided(response);
  setImmediate(() => {
    if (!response.headersSent) send();
  });
}
