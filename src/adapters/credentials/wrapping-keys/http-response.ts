import { copySecret } from '../../vault/secret-bytes.ts';

/** A response broke HTTP/1.1, or one of its limits. The message is a clause about "it". */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  /** A view of the bytes that were parsed. */
  readonly body: Buffer;
}

const HEADER_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/**
 * Whether all of an HTTP/1.1 response with a Content-Length or chunks has arrived (RFC 9112 §6).
 * @throws MalformedResponseError
 */
export function isCompleteResponse(received: Buffer): boolean {
  return parse(received) !== null;
}

/**
 * Parses a response, joining its chunks in place (RFC 9112 §7.1): modifies `received`, and uses no
 * other memory for the body.
 * @returns null if it is incomplete
 * @throws MalformedResponseError
 */
export function readHttpResponse(received: Buffer): HttpResponse | null {
  const parsed = parse(received);
  if (parsed === null) return null;
  const { status, start, parts } = parsed;
  let end = start;
  for (const part of parts) end += copySecret(part, received.subarray(end));
  return { status, body: received.subarray(start, end) };
}

/** @returns null if incomplete; `start`: of the body */
function parse(received: Buffer): { status: number; start: number; parts: readonly Buffer[] } | null {
  const headerEnd = received.indexOf(HEADER_END);
  if (headerEnd === -1) return null;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headerEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] ([2-5]\d\d)(?: |$)/.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) throw new MalformedResponseError('it did not send a response of HTTP/1.1');
  const start = headerEnd + HEADER_END.length;
  const body = received.subarray(start);
  const parts = splitBody(status, new Map(lines.map(toField)), body);
  return parts && { status, start, parts };
}

function toField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}

function splitBody(status: number, fields: ReadonlyMap<string, string>, body: Buffer): readonly Buffer[] | null {
  if (fields.get('transfer-encoding')?.toLowerCase() === 'chunked') return splitChunks(body);
  if (status === 204) return [];
  const length = fields.get('content-length') ?? '';
  if (!/^\d{1,7}$/.test(length)) {
    throw new MalformedResponseError('it sent a response with neither a Content-Length nor chunks');
  }
  return body.length < Number(length) ? null : [body.subarray(0, Number(length))];
}

function splitChunks(body: Buffer): readonly Buffer[] | null {
  const chunks: Buffer[] = [];
  let position = 0;
  for (;;) {
    const lineEnd = body.indexOf(LINE_END, position);
    if (lineEnd === -1) return null;
    const size = /^([0-9a-f]{1,6}) *(?:;.*)?$/i.exec(body.toString('latin1', position, lineEnd))?.[1];
    if (size === undefined) throw new MalformedResponseError('it sent a malformed chunk');
    const start = lineEnd + LINE_END.length;
    const end = start + Number.parseInt(size, 16);
    if (end === start) return chunks;
    if (body.length < end + LINE_END.length) return null;
    if (!body.subarray(end, end + LINE_END.length).equals(LINE_END)) {
      throw new MalformedResponseError('it sent a malformed chunk');
    }
    chunks.push(body.subarray(start, end));
    position = end + LINE_END.length;
  }
}
