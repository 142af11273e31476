import { ServerResponse, STATUS_CODES } from 'node:http';
import { type HeldHead, headText } from './answer-head.ts';

/** What Node's responses have, in all of its releases, and do not document. */
interface Internals {
  /** The head as it is sent, once it was made. */
  _header: string | null;
  /** Makes it of its first line and of headers; adds Date, Connection and Keep-Alive. */
  _storeHeader(firstLine: string, headers: readonly string[]): void;
}

const HEAD_END = '\r\n\r\n';

/** Where a later release has them no more, answers are written as Node documents it. */
const IS_AS_KNOWN = isAsKnown();

/**
 * Writes an answer as one text, its head and its body: true where it did. The usual way does more: it takes each header by itself, looks at it, and hands the head and an end with nothing in it to the
 * system in a list. Left to the usual way are answers to which headers were added, which have no body (HEAD), which a caller waits for before it sends (Expect), and which are not ASCII alone: Node writes heads in Latin-1.
 * @param contentType as a header has it
 */
export function writeInOnePiece(response: ServerResponse, head: HeldHead, contentType: string, text: string): boolean {
  const { req, statusCode } = response;
  if (!IS_AS_KNOWN || response.headersSent || response.getHeaderNames().length > 0) return false;
  if (req.method === 'HEAD' || req.headers.expect !== undefined || Buffer.byteLength(text) !== text.length)
    return false;
  const internals = response as unknown as Internals;
  const lines = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${headText(head)}Content-Type: ${contentType}\r\n`;
  internals._storeHeader(lines, ['Content-Length', String(text.length)]);
  const made = internals._header;
  internals._header += text;
  response.end();
  // The response lives until its caller has read it, and what was handed to the system is a copy.
  internals._header = made;
  return true;
}

function isAsKnown(): boolean {
  const probe = new ServerResponse({ method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1 } as never);
  const internals = probe as unknown as Partial<Internals>;
  internals._storeHeader?.('HTTP/1.1 200 OK\r\nA: a\r\n', ['Content-Length', '0']);
  const { _header: made } = internals;
  return made?.startsWith('HTTP/1.1 200 OK\r\nA: a\r\nContent-Length: 0\r\n') === true && made.endsWith(HEAD_END);
}
