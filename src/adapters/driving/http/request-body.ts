import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { malformed, notReceived, type Received, requestTooLarge, unsupportedMediaType } from './http-refusal.ts';

/** Most bytes of a request body, as sent and again after decompression (specification, Limits: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

type Decoder = (body: Buffer) => Promise<Buffer>;

const inflateGzip = promisify(gunzip);
const inflateZlib = promisify(inflate);

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['identity', async (body) => body],
  ['gzip', (body) => inflateGzip(body, { maxOutputLength: MAX_BODY_BYTES })],
  ['deflate', (body) => inflateZlib(body, { maxOutputLength: MAX_BODY_BYTES })],
]);

const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** Reads the request's body, which has to be announced as JSON, and decompresses it. What comes beyond the limit of bytes is dropped as it arrives. */
export async function readBody(request: IncomingMessage): Promise<Received<Buffer>> {
  const decode = DECODERS.get((request.headers['content-encoding'] ?? 'identity').toLowerCase());
  if (decode === undefined || !JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
    return notReceived(unsupportedMediaType());
  }
  const sent = await collect(request);
  return sent.ok ? decodeBounded(decode, sent.value) : sent;
}

function collect(request: IncomingMessage): Promise<Received<Buffer>> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    return Promise.resolve(notReceived(requestTooLarge(MAX_BODY_BYTES)));
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      resolve(notReceived(requestTooLarge(MAX_BODY_BYTES)));
    });
    request.once('end', () => resolve({ ok: true, value: Buffer.concat(chunks) }));
    request.once('error', () => resolve(notReceived(malformed('', 'ended before its body was complete'))));
  });
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
