import type { IncomingMessage } from 'node:http';
import { accepted, refused } from '../../../domain/model/outcome.ts';
import type { BodyProof } from './authentication/request-authentication.ts';
import { askForBody } from './connections/expected-continue.ts';
import { malformed, type Received, requestTooLarge, unsupportedMediaType } from './http-refusal.ts';
import { type BodyRoom, MAX_BODY_BYTES } from './overload/body-budget.ts';

/** A body, why it is refused, or that there is no memory for it. */
export type ReceivedBody = Received<Buffer> | typeof NO_ROOM;

const NO_ROOM = 'no room';

const BROKEN_OFF = 'ended before its body was complete';

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Reads the request's body, which has to be announced as JSON and not be compressed.
 * @param room that was reserved for it
 * @param prove asked, once the body is here, whether the request is its caller's; null where nobody
 * asks
 */
export async function readJsonBody(
  request: IncomingMessage,
  room: BodyRoom,
  prove: BodyProof | null,
): Promise<ReceivedBody> {
  if (prove === null) return isJson(request) ? collect(request, room) : refused(unsupportedMediaType());
  const body = await readProvedBody(request, room, prove);
  return body === NO_ROOM || !body.ok || isJson(request) ? body : refused(unsupportedMediaType());
}

/** Reads the request's body as it was sent, whatever it is, and has it proved. */
export async function readProvedBody(
  request: IncomingMessage,
  room: BodyRoom,
  prove: BodyProof,
): Promise<ReceivedBody> {
  const sent = await collect(request, room);
  if (sent === NO_ROOM || !sent.ok) return sent;
  const refusal = await prove(sent.value);
  return refusal === null ? sent : refused(refusal);
}

/**
 * Drops a body that is not used, as it comes, and waits for its end: a refusal where it is larger
 * than bodies may be, or breaks off.
 */
export function skipBody(request: IncomingMessage): Promise<Received<null>> {
  const { 'content-length': announced = 0, 'transfer-encoding': coding } = request.headers;
  if (Number(announced) > MAX_BODY_BYTES) return Promise.resolve(refused(requestTooLarge(MAX_BODY_BYTES)));
  const isSent = coding !== undefined || Number(announced) > 0;
  // Authentication has read it already.
  if (!isSent || request.readableEnded) return Promise.resolve(accepted(null));
  askForBody(request);
  let length = 0;
  return new Promise((resolve) => {
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) resolve(refused(requestTooLarge(MAX_BODY_BYTES)));
    });
    whenOver(request, (isWhole) => resolve(isWhole ? accepted(null) : brokenOff()));
  });
}

function isJson({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding'] ?? 'identity';
  return coding.toLowerCase() === 'identity' && JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
}

function collect(request: IncomingMessage, room: BodyRoom): Promise<ReceivedBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return Promise.resolve(refused(requestTooLarge(MAX_BODY_BYTES)));
  askForBody(request);
  return new Promise((resolve) => {
    // A short body comes in one piece with its headers, and Node has handed it on when they were
    // handled. To take it so is quicker than the events of a stream.
    process.nextTick(() => {
      const isHere = announced > 0 && request.readableLength === announced;
      if (isHere && request.socket.writable) resolve(keep(request.read(), room));
      else collectPieces(request, room, resolve);
    });
  });
}

function keep(body: Buffer, room: BodyRoom): ReceivedBody {
  return room.mayKeep(body.length) ? accepted(body) : NO_ROOM;
}

function collectPieces(request: IncomingMessage, room: BodyRoom, resolve: (body: ReceivedBody) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  let isDropping = false;
  const drop = (result: ReceivedBody) => {
    isDropping = true;
    chunks.length = 0;
    resolve(result);
  };
  request.on('data', (chunk: Buffer) => {
    if (isDropping) return;
    length += chunk.length;
    if (length > MAX_BODY_BYTES) drop(refused(requestTooLarge(MAX_BODY_BYTES)));
    else if (room.mayRead(length)) chunks.push(chunk);
    else drop(NO_ROOM);
  });
  whenOver(request, (isWhole) => resolve(isWhole ? keep(Buffer.concat(chunks), room) : brokenOff()));
}

/**
 * Tells once that the body is over: true where it is whole. A caller that is gone, or was told
 * meanwhile that its request took too long (408), may send it again: what has come of it counts as
 * broken off, and nothing is done.
 */
function whenOver(request: IncomingMessage, tell: (isWhole: boolean) => void): void {
  const { socket } = request;
  if (!socket.writable) return void tell(false);
  request.once('end', () => tell(socket.writable));
  request.once('error', () => tell(false));
}

function brokenOff() {
  return refused(malformed('', BROKEN_OFF));
}
