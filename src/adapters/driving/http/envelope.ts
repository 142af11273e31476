import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../../domain/model/json.ts';
import { answerSignerOf, signAnswer } from './authentication/answer-signer.ts';
import { type HttpRefusal, retryAfterOf, STATUS_OF_CODE } from './http-refusal.ts';

/** Content type of every answer of the API. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

const REFUSALS = new WeakMap<ServerResponse, HttpRefusal>();

const DECIDED = new WeakSet<ServerResponse>();

/** Says that it is known how a request is answered, where it takes a while until it is. */
export function decideAnswer(response: ServerResponse): void {
  DECIDED.add(response);
}

/** Whether a request was answered, or will be, whatever else comes of it. */
export function isAnswerDecided(response: ServerResponse): boolean {
  return response.headersSent || DECIDED.has(response);
}

/** The refusal that a request was answered with; undefined where it was not refused. */
export function refusedWith(response: ServerResponse): HttpRefusal | undefined {
  return REFUSALS.get(response);
}

/** Keeps for metrics and log with which refusal a request was answered; the first one counts. */
export function noteRefusal(response: ServerResponse, refusal: HttpRefusal): void {
  if (!REFUSALS.has(response)) REFUSALS.set(response, refusal);
}

/** The error envelope as text: `{"success":false,"error":{"code","message","details"}}`. */
export function errorText({ code, message, details }: HttpRefusal): string {
  return JSON.stringify({ success: false, error: { code, message, details } });
}

/** Answers 200 with `{"success":true,"data"}`. */
export function answerData(response: ServerResponse, data: JsonValue): void {
  send(response, 200, JSON.stringify({ success: true, data }));
}

/** Answers with the error envelope and the status of its code, and with `Retry-After` where the refusal says when to try again. */
export function answerRefusal(response: ServerResponse, refusal: HttpRefusal): void {
  const retryAfter = retryAfterOf(refusal);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  noteRefusal(response, refusal);
  send(response, STATUS_OF_CODE[refusal.code], errorText(refusal));
}

/**
 * Writes a whole response. Not by `response.json`, which may turn it into 304 without a body
 * (If-None-Match: *). What waits to be read is counted by the socket's `writableLength`, which
 * counts text by characters: it is handed over as bytes where that is not the same.
 */
function send(response: ServerResponse, status: number, text: string): void {
  const length = Buffer.byteLength(text);
  const signer = answerSignerOf(response);
  response.statusCode = status;
  if (signer !== null) signAnswer(response, signer, [text]);
  response.writeHead(status, { 'Content-Type': JSON_CONTENT_TYPE, 'Content-Length': length });
  response.end(length === text.length ? text : Buffer.from(text));
}
