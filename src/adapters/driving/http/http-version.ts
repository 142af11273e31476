import type { IncomingMessage } from 'node:http';

/** HTTP/1.0 is what older proxies speak to the servers behind them. */
const SERVED: ReadonlySet<string> = new Set(['1.1', '1.0']);

/**
 * Whether the request line names a version that is served. Node's parser takes a line without one too (HTTP/0.9, whose answers have no head), and one with HTTP/2.0, whose requests have no line: an answer in
 * HTTP/1.1 is none to either (RFC 9112 §2.3, §3).
 */
export function isServedVersion({ httpVersion }: Pick<IncomingMessage, 'httpVersion'>): boolean {
  return SERVED.has(httpVersion);
}
