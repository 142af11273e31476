import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../domain/model/json.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import { isBodyArriving } from './connections/close-connection.ts';
import { toError, toHeaders } from './refusals.ts';
import { signResponse } from './response-signature.ts';

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
