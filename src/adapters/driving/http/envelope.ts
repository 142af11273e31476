import type { ServerResponse } from 'node:http';
import type { JsonValue } from '../../../domain/model/json.ts';
import { heldHeadOf, setHeldHead } from './answer-head.ts';
import { answerSignerOf, signAnswer } from './authentication/answer-signer.ts';
import type { HttpRefusal } from './http-refusal.ts';
import { writeInOnePiece } from './one-piece-answer.ts';
import { retryAfterOf } from './retry-after.ts';
import { STATUS_OF_CODE } from './status-of-code.ts';

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
  REFUSALS.set(response, refusal);
  send(response, STATUS_OF_CODE[refusal.code], errorText(refusal));
}

/** Not by `response.json`, which may turn an answer into 304 without a body (If-None-Match: *). */
function send(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  const signer = answerSignerOf(response);
  const head = heldHeadOf(response);
  if (signer === null && head !== null && writeInOnePiece(response, head, JSON_CONTENT_TYPE, text)) return;
  setHeldHead(response);
  if (signer !== null) signAnswer(response, signer, [text]);
  response.setHeader('Content-Type', JSON_CONTENT_TYPE);
  // As bytes, so that the socket tells how many wait to be read: of text it counts characters.
  const bytes = Buffer.from(text);
  response.setHeader('Content-Length', bytes.length);
  response.end(bytes);
}
