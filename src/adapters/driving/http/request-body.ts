import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import type { BodyProof } from './authentication/request-authentication.ts';
import { askForBody } from './connections/expected-continue.ts';
import { malformed, notReceived, type Received, requestTooLarge, unsupportedMediaType } from './http-refusal.ts';
import type { HeldBytesOfOne } from './overload/held-bytes.ts';

/** Most bytes of a request body, as sent and again after decompression (specification, Limits: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

/** A body, why it is refused, or that the service can't hold it beside all others. */
export type ReceivedBody = Received<Buffer> | typeof TOO_MUCH;

const TOO_MUCH = 'too much is held';

type Decoder = (body: Buffer) => Promise<Buffer>;

const inflateGzip = promisify(gunzip);
const inflateZlib = promisify(inflate);

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['identity', async (body) => body],
  ['gzip', (body) => inflateGzip(body, { maxOutputLength: MAX_BODY_BYTES })],
  ['deflate', (body) => inflateZlib(body, { maxOutputLength: MAX_BODY_BYTES })],
]);

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/**
 * Reads the request's body, which has to be announced as JSON, and decompresses it. What comes beyond the limit of bytes, or of what can be held, is dropped as it arrives.
 * @param held counts what is held of this request
 * @param prove is asked, once the body is here as it was sent, whether the request is its caller's; null where nobody asks
 */
export function readBody(
  request: IncomingMessage,
  held: HeldBytesOfOne,
  prove: BodyProof | null = null,
): Promise<ReceivedBody> {
  const { headers } = request;
  const isPlain = headers['content-encoding'] === undefined && JSON_MEDIA_TYPE.test(headers['content-type'] ?? '');
  return isPlain && prove === null ? collect(request, held) : readCoded(request, held, prove);
}

async function readCoded(
  request: IncomingMessage,
  held: HeldBytesOfOne,
  prove: BodyProof | null,
): Promise<ReceivedBody> {
  const decode = DECODERS.get((request.headers['content-encoding'] ?? 'identity').toLowerCase());
  const isJson = decode !== undefined && JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '');
  if (!isJson && prove === null) return notReceived(unsupportedMediaType());
  const sent = prove === null ? await collect(request, held) : await readProvedBody(request, held, prove);
  if (sent === TOO_MUCH || !sent.ok) return sent;
  if (!isJson) return notReceived(unsupportedMediaType());
  const body = await decodeBounded(decode, sent.value);
  if (!body.ok || body.value === sent.value) return body;
  return held.hold(body.value.length) ? body : TOO_MUCH;
}

/** Reads the request's body as it was sent, whatever it is, and has it proved. */
export async function readProvedBody(
  request: IncomingMessage,
  held: HeldBytesOfOne,
  prove: BodyProof,
): Promise<ReceivedBody> {
  const sent = await collect(request, held);
  if (sent === TOO_MUCH || !sent.ok) return sent;
  const refusal = await prove(sent.value);
  return refusal === null ? sent : notReceived(refusal);
}

function collect(request: IncomingMessage, held: HeldBytesOfOne): Promise<ReceivedBody> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > MAX_BODY_BYTES) return Promise.resolve(notReceived(requestTooLarge(MAX_BODY_BYTES)));
  askForBody(request);
  return new Promise((resolve) => {
    // A short body comes in one piece with its headers, and Node has handed it on when they were handled.
    process.nextTick(() => {
      if (announced > 0 && request.readableLength === announced) resolve(takeWhole(request, held));
      else collectPieces(request, held, resolve);
    });
  });
}

/** Without the events of a stream, which take longer than all that is done with a short body. */
function takeWhole(request: IncomingMessage, held: HeldBytesOfOne): ReceivedBody {
  const body: Buffer = request.read();
  return held.hold(body.length) ? { ok: true, value: body } : TOO_MUCH;
}

function collectPieces(request: IncomingMessage, held: HeldBytesOfOne, resolve: (body: ReceivedBody) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const dropAll = (result: ReceivedBody) => {
    chunks.length = 0;
    held.release();
    resolve(result);
  };
  let isDropping = false;
  request.on('data', (chunk: Buffer) => {
    if (isDropping) return;
    length += chunk.length;
    isDropping = length > MAX_BODY_BYTES || !held.hold(chunk.length);
    if (!isDropping) chunks.push(chunk);
    else dropAll(length > MAX_BODY_BYTES ? notReceived(requestTooLarge(MAX_BODY_BYTES)) : TOO_MUCH);
  });
  request.once('end', () => resolve({ ok: true, value: Buffer.concat(chunks) }));
  request.once('error', () => resolve(notReceived(malformed('', 'ended before its body was complete'))));
}

async function decodeBounded(decode: Decoder, sent: Buffer): Promise<Received<Buffer>> {
  try {
    return { ok: true, value: await decode(sent) };
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return notReceived(
      isTooLarge
        ? requestTooLarge(MAX_BODY_BYTES)
        : malformed('', 'must have a body that its Content-Encoding can decompress'),
    );
  }
}
