/**
 * What a caller presents over HTTPS: a certificate that may do everything, next to nothing, nothing
 * (of another authority, or for servers), or none.
 */
export const CERTIFICATES = ['own', 'limited', 'foreign', 'misused', 'none'] as const;

/** See {@link CERTIFICATES}. */
export type Certificate = (typeof CERTIFICATES)[number];

/**
 * Where the bytes of a case go: the plain port, the port of HTTPS inside TLS, or that port below
 * TLS.
 */
export type Way = 'http' | 'https' | 'below TLS';

/** What the caller does when all is written. */
export type Ending =
  /** Waits for the responses that have to come, and goes away. */
  | 'responses'
  /** Says that it has no more to send (FIN), and waits until the service closes too. */
  | 'half-close'
  /** Cuts the connection at once (RST). */
  | 'reset'
  /** Waits until the service closes. */
  | 'wait for close';

/** Bytes for one connection, how they are sent, and what may come back. */
export interface FuzzCase {
  /** What totals are counted by, such as `request: sign` or `raw: two lengths`. */
  readonly kind: string;
  readonly way: Way;
  /** For the listener of operators, where the service has one of its own. */
  readonly isAdmin: boolean;
  /** What the caller shows over HTTPS. */
  readonly certificate: Certificate;
  /** Who calls may do nothing: no response signs, shows or changes anything. */
  readonly isDenied: boolean;
  readonly writes: readonly Buffer[];
  /** Between two writes, milliseconds. */
  readonly pauseMs: number;
  readonly ending: Ending;
  /** Reads nothing for so long after the last write, milliseconds. */
  readonly deafMs: number;
  /** Responses that have to come. */
  readonly least: number;
  /** Responses that may come: one more belongs to a request that nobody sent. */
  readonly most: number;
  /** By their order; responses to HEAD have no body. */
  readonly methods: readonly string[];
  /** The service has to refuse the bytes: no response, or one of 4xx. */
  readonly isRefused: boolean;
  /** OVERLOADED is a response to this. */
  readonly mayOverload: boolean;
  /**
   * The service may close in the middle of a response: what came after was no HTTP, or the caller
   * did not read.
   */
  readonly mayBeTorn: boolean;
  /** What the response of each place has to hold, where that is known. */
  readonly texts: readonly (string | null)[];
  /** How long it may take from the last write until all is over, milliseconds. */
  readonly limitMs: number;
}

const LIMIT_MS = 15_000;

/** A case with one write and one response at the most, but for what is given. */
export function fuzzCase(given: Pick<FuzzCase, 'kind' | 'writes'> & Partial<FuzzCase>): FuzzCase {
  return {
    way: 'http',
    isAdmin: false,
    certificate: 'own',
    isDenied: false,
    pauseMs: 0,
    ending: 'half-close',
    deafMs: 0,
    least: 0,
    most: 1,
    methods: [],
    isRefused: false,
    mayOverload: false,
    mayBeTorn: false,
    texts: [],
    limitMs: LIMIT_MS,
    ...given,
  };
}
/** One request's line, headers and body. */
export interface RequestText {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Its bytes, Latin-1 but for the body. Nothing is added. */
export function requestBytes({ method, target, headers, body }: RequestText): Buffer {
  const head = [`${method} ${target} HTTP/1.1`, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
}

/** The lines that a POST of JSON needs. */
export function jsonHeaders(body: Buffer): readonly string[] {
  return ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`];
}

/** A whole, valid POST of JSON. */
export function postBytes(target: string, content: object): Buffer {
  const body = Buffer.from(JSON.stringify(content));
  return requestBytes({ method: 'POST', target, headers: jsonHeaders(body), body });
}

/** A whole, valid GET. */
export function getBytes(target: string): Buffer {
  return requestBytes({ method: 'GET', target, headers: ['Host: localhost'], body: Buffer.alloc(0) });
}

/** A body in chunks of these sizes, one after the other and again (RFC 9112 §7.1). */
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
