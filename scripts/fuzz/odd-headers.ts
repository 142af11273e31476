import fc from 'fast-check';

/** A RequestAuthInfo in its one encoding, each of its fields of zeros: what is signed is looked at, and nothing of it is right. */
const EMPTY_REQUEST_AUTH = Buffer.concat([
  field(
    1,
    Buffer.concat([
      field(1, Buffer.from('a')),
      field(2, 32),
      field(3, Buffer.from('2100-01-01T00:00:00Z')),
      field(4, 64),
    ]),
  ),
  field(2, 32),
  Buffer.from('190000000000000040', 'hex'),
  field(4, 16),
  field(5, 64),
]).toString('base64');

/** A field of bytes, or of so many zeros, with a length of one or two bytes before it (protobuf, length-delimited). */
function field(number: number, content: Buffer | number): Buffer {
  const bytes = typeof content === 'number' ? Buffer.alloc(content) : content;
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.of((number << 3) | 2, ...length), bytes]);
}

/** Header lines that a service, or a proxy before it, may take for something. Another header that the service reads gets its odd lines here. */
const LINES: readonly string[] = [
  ...['X-Forwarded-For: 10.0.0.1', 'X-Forwarded-For: ::1, 127.0.0.1, a', 'Forwarded: for="[::1]";proto=https;host=x'],
  ...['X-Forwarded-Host: elsewhere', 'X-Forwarded-Proto: https', 'X-Real-IP: 127.0.0.1', 'Via: 1.1 x'],
  ...['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /api/v1/status', 'X-Rewrite-URL: /healthz'],
  ...['If-None-Match: *', 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT', 'If-Match: "x"', 'Range: bytes=0-0'],
  ...['Accept: text/html', 'Accept: ;;;,', 'Accept-Encoding: br, gzip;q=9', 'Accept-Language: \xff\xfe'],
  ...['Expect: 100-continue', 'Expect: 200-maybe', 'TE: trailers', 'Trailer: X-Injected', 'Connection: close'],
  ...[
    'Connection: keep-alive, Host',
    'Connection: upgrade',
    'Upgrade: websocket',
    'Upgrade: h2c',
    'HTTP2-Settings: AA',
  ],
  ...[
    'Keep-Alive: timeout=99999, max=1',
    'Proxy-Connection: keep-alive',
    'Authorization: Bearer x',
    'Cookie: a=b; a=c',
  ],
  ...[`Cookie: ${'c'.repeat(8000)}`, `X-Long: ${'x'.repeat(15_000)}`, 'Origin: null', 'Content-Range: bytes 0-1/2'],
  ...['X-Correlation-Id: a', 'X-Correlation-Id: \x1b[31m', 'X-Empty:', 'X-Empty: ', '__proto__: x', 'constructor: x'],
  ...['Host: a', 'Host: a, b', 'Host: a@b/c?d#e', 'Host: [::1]:99999', 'Host: \x80', 'Authorization: Basic Og=='],
  ...[
    'Signing-Request-Auth: AAAA',
    'Signing-Request-Auth: ',
    'Signing-Request-Auth: ====',
    `Signing-Request-Auth: ${'C'.repeat(2048)}`,
  ],
  ...[`Signing-Request-Auth: ${EMPTY_REQUEST_AUTH}`, 'Signing-Response-Auth: AAAA'],
  ...['Content-Type: application/json', 'Content-Type: text/plain', 'Content-Encoding: identity', 'Accept: */*'],
  ...[
    'X-Request-Auth: AAAA',
    'X-Client-Cert: x',
    'Date: x',
    'Content-MD5: x',
    'Content-Language: x',
    'Content-Location: ..',
  ],
];

/** None to four such lines. */
export const oddHeaders: fc.Arbitrary<readonly string[]> = fc.array(fc.constantFrom(...LINES), { maxLength: 4 });

/** Many lines: over the limit of count or of bytes, or just below. */
export const manyHeaders: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.constantFrom(100, 1000, 1999, 2001, 5000), fc.constantFrom(0, 1, 10, 100))
  .map(([count, length]) => Array.from({ length: count }, (_, index) => `a${index % 50}:${'b'.repeat(length)}`));
