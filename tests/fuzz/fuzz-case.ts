/**
 * Client certificates: all permissions, few, untrusted (another authority, server use), or none.
 */
export const CERTIFICATES = ['own', 'limited', 'foreign', 'misused', 'none'] as const;

/** See {@link CERTIFICATES}. */
export type Certificate = (typeof CERTIFICATES)[number];

/** The plain port, HTTPS inside TLS, or the HTTPS port below TLS. */
export type Way = 'http' | 'https' | 'below TLS';

/** What the caller does after the last write. */
export type Ending =
  /** Waits for the expected responses, then leaves. */
  | 'responses'
  /** Sends FIN and waits for the service to close. */
  | 'half-close'
  /** Sends RST. */
  | 'reset'
  /** Waits for the service to close. */
  | 'wait for close';

/** Bytes for one connection, how they are sent, and the allowed responses. */
export interface FuzzCase {
  /** Key of the totals, such as `request: sign` or `raw: two lengths`. */
  readonly kind: string;
  readonly way: Way;
  /** For the operators' listener, if separate. */
  readonly isAdmin: boolean;
  /** For HTTPS. */
  readonly certificate: Certificate;
  /** The caller has no permissions: no response may sign, show or change anything. */
  readonly isDenied: boolean;
  readonly writes: readonly Buffer[];
  /** Between writes, milliseconds. */
  readonly pauseMs: number;
  readonly ending: Ending;
  /** Pause before reading, milliseconds. */
  readonly readDelayMs: number;
  /** Minimum number of responses. */
  readonly least: number;
  /** Maximum number of responses; one more would answer a smuggled request. */
  readonly most: number;
  /** In order; responses to HEAD have no body. */
  readonly methods: readonly string[];
  /** The service must reject the bytes: no response, or 4xx. */
  readonly isRefused: boolean;
  /** OVERLOADED is allowed. */
  readonly mayOverload: boolean;
  /** A truncated response is allowed: invalid HTTP followed, or the caller did not read. */
  readonly mayBeTruncated: boolean;
  /** Expected content of each response, if known. */
  readonly texts: readonly (string | null)[];
  /** Longest allowed silence after the last write, milliseconds: a busy machine may be slow. */
  readonly silenceMs: number;
}

const SILENCE_MS = 15_000;

/** Defaults: one write and at most one response. */
export function fuzzCase(given: Pick<FuzzCase, 'kind' | 'writes'> & Partial<FuzzCase>): FuzzCase {
  return {
    way: 'http',
    isAdmin: false,
    certificate: 'own',
    isDenied: false,
    pauseMs: 0,
    ending: 'half-close',
    readDelayMs: 0,
    least: 0,
    most: 1,
    methods: [],
    isRefused: false,
    mayOverload: false,
    mayBeTruncated: false,
    texts: [],
    silenceMs: SILENCE_MS,
    ...given,
  };
}
/** Request line, headers and body. */
export interface RequestText {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Latin-1 except the body; adds nothing. */
export function requestBytes({ method, target, headers, body }: RequestText): Buffer {
  const head = [`${method} ${target} HTTP/1.1`, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}

/** Headers of a JSON POST. */
export function jsonHeaders(body: Buffer): readonly string[] {
  return ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`];
}

/** A valid JSON POST. */
export function postBytes(target: string, content: object): Buffer {
  const body = Buffer.from(JSON.stringify(content));
  return requestBytes({ method: 'POST', target, headers: jsonHeaders(body), body });
}

/** A valid GET. */
export function getBytes(target: string): Buffer {
  return requestBytes({ method: 'GET', target, headers: ['Host: localhost'], body: Buffer.alloc(0) });
}

/** Chunks of these sizes, repeated (RFC 9112 §7.1). */
export function chunked(body: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0, number = 0; at < body.length; number += 1) {
    const size = Math.max(1, sizes[number % sizes.length] ?? 1);
    const piece = body.subarray(at, at + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
    at += piece.length;
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
