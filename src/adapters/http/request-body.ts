import type { IncomingMessage } from 'node:http';
import { accepted, type Outcome, type Refusal, refused } from '../../domain/model/refusal.ts';
import type { BodyReservation } from './admission/body-budget.ts';
import { MAX_BODY_BYTES } from './limits.ts';
import { malformed, refuseRequest } from './refusals.ts';

/** A body, its refusal, or null: no memory is left for it. */
export type ReceivedBody = Outcome<Buffer> | null;

const INCOMPLETE = refused(malformed('', 'ended before the body was complete'));

/** `utf8` is a label of UTF-8, too (https://encoding.spec.whatwg.org/#names-and-labels). */
const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-?8|"utf-?8")[ \t]*)?$/i;

/** Why bodies can never be complete. */
const BROKEN = new WeakMap<IncomingMessage, Refusal>();

const BREAK = Symbol('break');

/** Refuses a body that can never be complete: to its reader, if there is one. */
export function breakBody(request: IncomingMessage, refusal: Refusal): void {
  BROKEN.set(request, refusal);
  request.emit(BREAK);
}

/** Resolves once Node has parsed what came with the head. */
function tick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** Whether a body is declared as uncompressed JSON in UTF-8. */
export function hasJsonBody({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding.toLowerCase() === 'identity' && JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

/** Reads a body of any type into the memory reserved for it. */
export async function readBody(request: IncomingMessage, reservation: BodyReservation): Promise<ReceivedBody> {
  const { socket, headers } = request;
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return refused(refuseRequest('RequestTooLarge'));
  const keep = (body: Buffer) => (reservation.tryKeep(body.length) ? accepted(body) : null);
  await tick();
  // A caller that left or got a 408 may retry, so its request must not be executed.
  if (!socket.writable) return INCOMPLETE;
  // Node has a short body ready; one read is faster than stream events.
  if (announced > 0 && request.readableLength === announced) {
    const body = request.read();
    // Node keeps the request until its body is read to the end.
    request.read();
    return keep(body);
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    // Nothing more is read then.
    const stop = (result: ReceivedBody) => {
      request.off('data', take).pause();
      resolve(result);
    };
    const take = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length > MAX_BODY_BYTES) stop(refused(refuseRequest('RequestTooLarge')));
      else if (!reservation.tryGrow(length)) stop(null);
    };
    const abort = () => {
      const refusal = BROKEN.get(request);
      stop(refusal === undefined ? INCOMPLETE : refused(refusal));
    };
    request.on('data', take);
    request.once('end', () => (socket.writable ? resolve(keep(Buffer.concat(chunks))) : abort()));
    request.once('error', abort).once(BREAK, abort);
    if (BROKEN.has(request)) abort();
  });
}
