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
