import type { Transcript } from './connection.ts';
import type { FuzzCase } from './fuzz-case.ts';

/** A received response. */
export interface Response {
  readonly status: number;
  /** Lowercase names; repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
  /** Length in bytes. */
  readonly bytes: number;
}

/** Everything received on a connection. */
export interface Responses {
  readonly responses: readonly Response[];
  /** After the last complete response. */
  readonly rest: Buffer;
  /** Why it is no valid HTTP. */
  readonly error: string | null;
}

/** What is needed of the requests to parse the responses. */
export interface Requests {
  /** In order; responses to HEAD have no body. */
  readonly methods: readonly string[];
  /**
   * Whether a request was HTTP/1.0, without chunks: its response may end with the connection (RFC
   * 9112 §6.3).
   */
  readonly isHttp10: boolean;
  /** Whether the service has closed the connection. */
  readonly isClosed: boolean;
}

const END_OF_HEAD = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/;
const HEADER = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/;
const BEGIN_OF_NEXT = 'HTTP/1.1 ';

/** Parses pipelined responses (RFC 9112), more strictly than clients. */
export function readResponses(received: Buffer, requests: Requests): Responses {
  const responses: Response[] = [];
  let rest = received;
  while (rest.length > 0) {
    const read = readResponse(rest, requests, requests.methods[responses.length]);
    if (typeof read === 'string') return { responses, rest, error: read };
    if (read === null) break;
    rest = rest.subarray(read.bytes);
    // 100 Continue precedes the response.
    if (read.status !== 100) responses.push(read);
  }
  return { responses, rest, error: null };
}

type Whole = (body: string, bodyBytes: number) => Response;

/** Null if incomplete; a text describes an error. */
function readResponse(received: Buffer, requests: Requests, method: string | undefined): Response | string | null {
  const headEnd = received.indexOf(END_OF_HEAD);
  if (headEnd < 0) return 'HTTP/1.1 '.startsWith(received.toString('latin1', 0, 9)) ? null : findStartError(received);
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  if (Number.isNaN(status)) return `is no status line: ${JSON.stringify(statusLine.slice(0, 80))}`;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? [];
    if (name === '') return `is no header: ${JSON.stringify(line.slice(0, 80))}`;
    const key = name.toLowerCase();
    headers.set(key, headers.has(key) ? `${headers.get(key)}, ${value}` : value);
  }
  const after = received.subarray(headEnd + END_OF_HEAD.length);
  const whole = (body: string, bodyBytes: number) => ({ status, headers, body, bytes: headEnd + 4 + bodyBytes });
  if (status === 100) return whole('', 0);
  return headers.has('content-length') || method === 'HEAD'
    ? readLength(after, headers.get('content-length'), method, whole)
    : readWithoutLength(after, headers, requests, whole);
}

function findStartError(received: Buffer): string | null {
  return received.toString('latin1', 0, 9) === BEGIN_OF_NEXT ? null : 'does not begin as a response';
}

function readLength(
  after: Buffer,
  length: string | undefined,
  method: string | undefined,
  whole: Whole,
): Response | string | null {
  if (length === undefined) return whole('', 0);
  if (!/^\d+$/.test(length)) return `has the length ${length}`;
  const isNext = after.toString('latin1', 0, 9) === BEGIN_OF_NEXT;
  // A malformed request has no method: its response has a body.
  if (isNext || (method === 'HEAD' && after.length === 0)) return whole('', 0);
  const bodyBytes = Number(length);
  return after.length < bodyBytes ? null : whole(after.toString('utf8', 0, bodyBytes), bodyBytes);
}

function readWithoutLength(
  after: Buffer,
  headers: ReadonlyMap<string, string>,
  { isHttp10, isClosed }: Requests,
  whole: Whole,
): Response | string | null {
  const coding = headers.get('transfer-encoding');
  if (coding === 'chunked') return readChunks(after, whole);
  if (coding !== undefined || !isHttp10 || headers.get('connection') !== 'close') return 'has no length';
  const body = after.toString('utf8');
  // Only its JSON shows whether it is complete.
  return isClosed && isJson(body) ? whole(body, after.length) : null;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readChunks(after: Buffer, whole: Whole): Response | string | null {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = after.indexOf('\r\n', at);
    if (end < 0) return null;
    const size = after.toString('latin1', at, end);
    if (!/^[0-9a-f]+$/i.test(size)) return `has a chunk of the size ${JSON.stringify(size)}`;
    const bytes = Number.parseInt(size, 16);
    const next = end + 2 + bytes + 2;
    if (after.length < next) return null;
    parts.push(after.subarray(end + 2, next - 2));
    at = next;
    if (bytes === 0) return whole(Buffer.concat(parts).toString('utf8'), at);
  }
}

const HTTP_1_0 = /^[^\r\n]+ HTTP\/1\.0\r?$/m;

/** Parses the responses to a case. */
export function responsesTo(one: FuzzCase, { received, end }: Pick<Transcript, 'received' | 'end'>): Responses {
  return readResponses(received, {
    methods: one.methods,
    isHttp10: HTTP_1_0.test(Buffer.concat(one.writes).toString('latin1')),
    isClosed: end === 'closed',
  });
}
