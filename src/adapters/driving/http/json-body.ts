import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import type { JsonValue } from '../../../domain/model/json.ts';
import { invalidDataFormat } from '../../../domain/model/refusal.ts';
import { findDuplicateMembers } from '../../../json-text/duplicate-members.ts';
import { bodyIssues, MAX_ISSUES } from './body-issues.ts';
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

const NOT_JSON = 'must be a JSON object (RFC 8259) in UTF-8 without a byte order mark';

const TWICE = 'stands twice; parsers disagree on which one counts, so send it once';

/**
 * Reads the request's body as JSON, exactly as it was sent: a byte that is no UTF-8 is refused, never replaced, and a
 * member that stands twice in one object is refused, never dropped. What comes beyond the limit of bytes is dropped as it arrives.
 */
export async function readJsonBody(request: IncomingMessage): Promise<Received<JsonValue>> {
  const decode = DECODERS.get((request.headers['content-encoding'] ?? 'identity').toLowerCase());
  if (decode === undefined || !JSON_MEDIA_TYPE.test(request.headers['content-type'] ?? '')) {
    return notReceived(unsupportedMediaType());
  }
  const sent = await collect(request);
  if (!sent.ok) return sent;
  const body = await decodeBounded(decode, sent.value);
  return body.ok ? parse(body.value) : body;
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

function parse(body: Buffer): Received<JsonValue> {
  if (body.length === 0) return notReceived(malformed('', `is empty; it ${NOT_JSON}`));
  if (!isUtf8(body)) return notReceived(malformed('', `holds bytes that are not UTF-8; it ${NOT_JSON}`));
  const text = body.toString('utf8');
  const parsed = parseText(text);
  return parsed.ok ? withoutDuplicates(text, parsed.value) : parsed;
}

function parseText(text: string): Received<JsonValue> {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return notReceived(malformed('', `is not valid JSON; it ${NOT_JSON}`));
  }
}

function withoutDuplicates(text: string, value: JsonValue): Received<JsonValue> {
  const search = findDuplicateMembers(text, MAX_ISSUES);
  if (search.outcome === 'nested-too-deeply') return notReceived(malformed('', 'is nested too deeply'));
  if (search.duplicates.length === 0) return { ok: true, value };
  const faults = search.duplicates.map(({ name, path }) => ({ steps: [...path, name], message: TWICE }));
  return notReceived(invalidDataFormat(bodyIssues(faults)));
}
