import type { IncomingMessage, ServerResponse } from 'node:http';
import { accepted, type Outcome, type Refusal, refused } from '../../domain/model/refusal.ts';
import type { BodyReservation } from './admission/body-budget.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { malformed, refuseRequest } from './refusals.ts';
import type { Server } from './server.ts';

/** A body, its refusal, or that no memory is left for it. */
export type ReceivedBody = Outcome<Buffer> | typeof NO_MEMORY;

const NO_MEMORY = 'no memory';

const INCOMPLETE = 'ended before the body was complete';

/** `utf8` is a label of UTF-8, too (https://encoding.spec.whatwg.org/#names-and-labels). */
const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-?8|"utf-?8")[ \t]*)?$/i;

/** Resolves once Node has parsed what came with the head. */
function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Requests that wait for `100 Continue` before they send their body. */
const AWAITING_CONTINUE = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Sends `100 Continue` (RFC 9110 §10.1.1) just before the body is read, so not to refused requests.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    AWAITING_CONTINUE.set(request, response);
    server.emit('request', request, response);
  });
}

/** Sends `100 Continue` if the caller waits for it. */
function sendContinue(request: IncomingMessage): void {
  const response = AWAITING_CONTINUE.get(request);
  if (response === undefined || response.headersSent) return;
  AWAITING_CONTINUE.delete(request);
  response.writeContinue();
}

/** Whether a body is declared as uncompressed JSON in UTF-8. */
export function hasJsonBody({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding.toLowerCase() === 'identity' && JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

/** Reads a body of any type into the memory reserved for it. */
export async function readBody(request: IncomingMessage, reservation: BodyReservation): Promise<ReceivedBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return refused(refuseRequest('RequestTooLarge'));
  const keep = (body: Buffer) => (reservation.canKeep(body.length) ? accepted(body) : NO_MEMORY);
  sendContinue(request);
  await tick();
  // Node has a short body ready; one read is faster than stream events.
  const isBuffered = announced > 0 && request.readableLength === announced;
  if (isBuffered && request.socket.writable) {
    const body = request.read();
    // Node keeps the request until its body is read to the end.
    request.read();
    return keep(body);
  }
  const chunks: Buffer[] = [];
  const received = await readPieces(request, (chunk, length) => reservation.canRead(length) && chunks.push(chunk) > 0);
  return received === NO_MEMORY || !received.ok ? received : keep(Buffer.concat(chunks));
}

/** Drains a body that nothing uses; null, or why the request is refused. */
export async function skipBody(request: IncomingMessage): Promise<Refusal | null> {
  const { 'content-length': announced = 0, 'transfer-encoding': coding } = request.headers;
  if (Number(announced) > MAX_BODY_BYTES) return refuseRequest('RequestTooLarge');
  const isSent = coding !== undefined || Number(announced) > 0;
  // Authentication has read it.
  if (!isSent || request.readableEnded) return null;
  sendContinue(request);
  const skipped = await readPieces(request, () => true);
  return skipped === NO_MEMORY || skipped.ok ? null : skipped.refusal;
}

/**
 * Reads a body to its end. Once it is refused, nothing more is read.
 * @param take gets a piece, and the length up to its end; false: no memory is left for it
 */
function readPieces(
  request: IncomingMessage,
  take: (piece: Buffer, length: number) => boolean,
): Promise<Outcome<null> | typeof NO_MEMORY> {
  return new Promise((resolve) => {
    let length = 0;
    const stop = (result: Outcome<null> | typeof NO_MEMORY) => {
      request.off('data', read).pause();
      resolve(result);
    };
    const read = (piece: Buffer) => {
      length += piece.length;
      if (length > MAX_BODY_BYTES) stop(refused(refuseRequest('RequestTooLarge')));
      else if (!take(piece, length)) stop(NO_MEMORY);
    };
    request.on('data', read);
    onEnd(request, (isWhole) => resolve(isWhole ? accepted(null) : refused(malformed('', INCOMPLETE))));
  });
}

/**
 * Calls back once, true for a complete body. A caller that left or got a 408 may retry, so its
 * request must not be executed.
 */
function onEnd(request: IncomingMessage, report: (isWhole: boolean) => void): void {
  const { socket } = request;
  if (!socket.writable) return void report(false);
  request.once('end', () => report(socket.writable));
  request.once('error', () => report(false));
}
