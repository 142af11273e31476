import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BASE_REQUESTS, type BaseRequest, isOperatorRequest, OLD_REQUEST_AUTH } from './base-requests.ts';
import { chunked, type FuzzCase, fuzzCase, jsonHeaders, requestBytes } from './fuzz-case.ts';
import { hostileBytes, hostileText, ODD_TEXTS } from './hostile-input.ts';

/**
 * Headers with a meaning for the service or a proxy. Add lines for each new header that the service
 * reads.
 */
const LINES: readonly string[] = [
  ...['X-Forwarded-For: 10.0.0.1', 'X-Forwarded-For: ::1, 127.0.0.1, a', 'Forwarded: for="[::1]";proto=https;host=x'],
  ...['X-Forwarded-Host: elsewhere', 'X-Forwarded-Proto: https', 'X-Real-IP: 127.0.0.1', 'Via: 1.1 x'],
  ...['X-HTTP-Method-Override: DELETE', 'X-Original-URL: /api/v1/status', 'X-Rewrite-URL: /healthz'],
  ...['If-None-Match: *', 'If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT', 'If-Match: "x"', 'Range: bytes=0-0'],
  ...['Accept: text/html', 'Accept: ;;;,', 'Accept-Encoding: br, gzip;q=9', 'Accept-Language: \xff\xfe'],
  ...['Expect: 100-continue', 'Expect: 200-maybe', 'TE: trailers', 'Trailer: X-Injected', 'Connection: close'],
  ...['Connection: keep-alive, Host', 'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c'],
  'HTTP2-Settings: AA',
  ...['Keep-Alive: timeout=99999, max=1', 'Proxy-Connection: keep-alive', 'Authorization: Bearer x'],
  'Cookie: a=b; a=c',
  ...[`Cookie: ${'c'.repeat(8000)}`, `X-Long: ${'x'.repeat(15_000)}`, 'Origin: null', 'Content-Range: bytes 0-1/2'],
  ...['X-Correlation-Id: a', 'X-Correlation-Id: \x1b[31m', 'X-Empty:', 'X-Empty: ', '__proto__: x', 'constructor: x'],
  ...['Host: a', 'Host: a, b', 'Host: a@b/c?d#e', 'Host: [::1]:99999', 'Host: \x80', 'Authorization: Basic Og=='],
  ...[
    'Signing-Request-Auth: AAAA',
    'Signing-Request-Auth: ',
    'Signing-Request-Auth: ====',
    `Signing-Request-Auth: ${'C'.repeat(2048)}`,
  ],
  ...[`Signing-Request-Auth: ${OLD_REQUEST_AUTH}`, 'Signing-Response-Auth: AAAA'],
  ...['Content-Type: application/json', 'Content-Type: text/plain', 'Content-Encoding: identity', 'Accept: */*'],
  ...['X-Request-Auth: AAAA', 'X-Client-Cert: x', 'Date: x', 'Content-MD5: x', 'Content-Language: x'],
  'Content-Location: ..',
];

/** Up to four. */
export const oddHeaders: fc.Arbitrary<readonly string[]> = fc.array(fc.constantFrom(...LINES), { maxLength: 4 });

/** Around the limits of count and bytes. */
export const manyHeaders: fc.Arbitrary<readonly string[]> = fc
  .tuple(fc.constantFrom(100, 1000, 1999, 2001, 5000), fc.constantFrom(0, 1, 10, 100))
  .map(([count, length]) => Array.from({ length: count }, (_, index) => `a${index % 50}:${'b'.repeat(length)}`));

const API = '/api/v1';

const ODD_SEGMENTS: readonly string[] = [
  ...ODD_TEXTS.map((text) => encodeURIComponent(text.slice(0, 4000))),
  ...['..', '.', '%2e%2e', '%2e%2e%2f', '%2f', '%5c', '%00', 'main%00', '%0d%0aX-Injected:%201', '%c0%af'],
  '%c0%ae%c0%ae',
  ...['%e0%80%af', '%ff', '%', '%zz', '%u0041', '%ed%a0%80', 'a;b', 'a=b', '~', '*', '$&', '\\..\\..', ':platformId'],
];

const segment = fc.constantFrom(...ODD_SEGMENTS);

/** Request targets (RFC 9112 §3.2), mostly unknown ones. */
export const oddTarget: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(segment, segment).map(([platform, account]) => `${API}/accounts/${platform}/${account}`),
  segment.map((account) => `${API}/accounts/form-a/${account}`),
  segment.map((path) => `/${path}`),
  segment.map((path) => `${API}/${path}`),
  segment.map((text) => `${API}/accounts?platform=${text}`),
  segment.map((text) => `${API}/accounts?limit=${text}&cursor=${text}`),
  fc.constantFrom(
    ...['*', '/', '//', '///api/v1/status', '/api/v1/status/', '/API/v1/status', '/api/v1//status', '/./api/v1/status'],
    ...['/api/v1/../v1/status', '/api/v1/accounts/../../../etc/passwd', '/api/v1/status%20', '/api/v1/status;x=1'],
    ...['/api/v1/%73tatus', '/api/v1/status#x', '/api/v1/status?', 'http://elsewhere/api/v1/status', 'https://a:b@c/'],
    ...['elsewhere:443', '?', '#', '/healthz/../readyz', '/healthz?x', '/readyz%00', '/favicon.ico', '/.git/config'],
    ...[
      '/api/v1/accounts?__proto__[x]=1',
      '/api/v1/accounts?constructor.prototype.x=1',
      '/api/v1/accounts?limit=1&limit=2',
    ],
    ...[
      '/api/v1/accounts?limit[]=1',
      '/api/v1/accounts?limit=1e3',
      '/api/v1/accounts?cursor=AAAA',
      '/api/v1/sign?include=a',
    ],
    `/${'a/'.repeat(4000)}`,
    `${API}/accounts?${'a=1&'.repeat(3000)}`,
  ),
);

const NONE = Buffer.alloc(0);
/** Compression bombs: inflated, the longest has a hundred times the maximum body. */
const BOMB = gzipSync(Buffer.alloc(10_000_000, ' '));
const LONG_OBJECT = Buffer.from(
  `{"platformId":"objects","accountId":"main","data":{${Array.from({ length: 80_000 }, (_, index) => `"m${index}":1`).join(',')}}}`,
);

const base = fc.constantFrom(...BASE_REQUESTS);
/** Few reloads, since they read files. */
const posted = fc.constantFrom(...BASE_REQUESTS.filter(({ body }) => body !== null));
const way = fc.constantFrom('http', 'http', 'http', 'https' as const);

function getBody({ body }: BaseRequest): Buffer {
  return body === null ? NONE : Buffer.from(JSON.stringify(body));
}

function getTarget({ path, query }: BaseRequest): string {
  return query === '' ? path : `${path}?${query}`;
}

/** A complete request with one response. */
function whole(name: string, method: string, writes: readonly Buffer[]): FuzzCase {
  return fuzzCase({ kind: `request: ${name}`, writes, ending: 'responses', least: 1, methods: [method] });
}

function headersFor({ body }: BaseRequest, sent: Buffer): readonly string[] {
  return body === null ? ['Host: localhost'] : jsonHeaders(sent);
}

/** A valid request, with additional headers. */
export function validRequest(one: BaseRequest, lines: readonly string[] = []): FuzzCase {
  const body = getBody(one);
  const text = { method: one.method, target: getTarget(one), headers: [...headersFor(one, body), ...lines], body };
  const expected = { isAdmin: isOperatorRequest(one), texts: ['"success":true'] };
  return { ...whole(`${one.name}, valid`, one.method, [requestBytes(text)]), ...expected };
}

const asItIs = base.map((one) => validRequest(one));

const oddBody = posted.chain((one) =>
  hostileText(one.body).map((text) => {
    const body = Buffer.from(text);
    const request = { method: 'POST', target: getTarget(one), headers: jsonHeaders(body), body };
    return whole(`${one.name}, odd JSON`, 'POST', [requestBytes(request)]);
  }),
);

const brokenBody = posted.chain((one) =>
  hostileBytes(getBody(one)).map((body) => {
    const request = { method: 'POST', target: getTarget(one), headers: jsonHeaders(body), body };
    return whole(`${one.name}, broken JSON`, 'POST', [requestBytes(request)]);
  }),
);

const oddHead = fc.tuple(base, oddHeaders, fc.boolean()).map(([one, lines, isFirst]) => {
  const body = getBody(one);
  const own = headersFor(one, body);
  const request = {
    method: one.method,
    target: getTarget(one),
    headers: isFirst ? [...lines, ...own] : [...own, ...lines],
    body,
  };
  return { ...whole(`${one.name}, odd headers`, one.method, [requestBytes(request)]), isAdmin: isOperatorRequest(one) };
});

const oddPath = fc.tuple(oddTarget, fc.constantFrom('GET', 'POST', 'HEAD')).map(([target, method]) => {
  const request = { method, target, headers: ['Host: localhost'], body: NONE };
  // A target with a space is invalid, and the connection may close.
  return { ...whole('odd path', method, [requestBytes(request)]), ending: 'half-close' as const, least: 0 };
});

const UNKNOWN_METHODS = ['SIGN', 'get', 'Post', 'GET\t', '', 'G\0T', 'PRI', 'DEBUG', 'M-POST', 'A'.repeat(300)];

const oddMethod = fc.tuple(base, fc.constantFrom(...METHODS, ...UNKNOWN_METHODS)).map(([one, method]) => {
  const request = { method, target: getTarget(one), headers: ['Host: localhost', 'Content-Length: 0'], body: NONE };
  return { ...whole('odd method', method, [requestBytes(request)]), ending: 'half-close' as const, least: 0 };
});

const CONTENT_TYPES = [
  ...['text/plain', 'application/json; charset=utf-16', 'application/json; charset="utf-8"', 'application/json;;'],
  ...['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'application/jsonp', 'APPLICATION/JSON'],
  ...['application/json, text/html', `application/json${' '.repeat(5000)}x`, 'application/json; a=b', '', '\xff'],
];

const oddMediaType = fc.tuple(posted, fc.constantFrom(...CONTENT_TYPES)).map(([one, type]) => {
  const body = getBody(one);
  const headers = ['Host: localhost', `Content-Type: ${type}`, `Content-Length: ${body.length}`];
  return whole('odd media type', 'POST', [requestBytes({ method: 'POST', target: getTarget(one), headers, body })]);
});

type Coding = readonly [name: string, encode: (body: Buffer) => Buffer];

const CODINGS: readonly Coding[] = [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['gzip', (body) => body],
  ['gzip', () => NONE],
  ['gzip, gzip', (body) => gzipSync(gzipSync(body))],
  ['br', (body) => body],
  ['identity', (body) => body],
  ['', (body) => body],
  ['\xff', (body) => body],
  ['gzip', () => BOMB],
];

const oddCoding = fc.tuple(posted, fc.constantFrom(...CODINGS)).map(([one, [name, encode]]) => {
  const body = encode(getBody(one));
  const headers = [...jsonHeaders(body), `Content-Encoding: ${name}`];
  return whole('odd encoding', 'POST', [requestBytes({ method: 'POST', target: getTarget(one), headers, body })]);
});

const inChunks = fc
  .tuple(posted, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }))
  .map(([one, sizes]) => {
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const body = chunked(getBody(one), sizes);
    const text = requestBytes({ method: 'POST', target: getTarget(one), headers, body });
    return { ...whole(`${one.name}, in chunks`, 'POST', [text]), texts: ['"success":true'] };
  });

/** Around 1 MB. */
const long = fc.tuple(fc.constantFrom(1_048_575, 1_048_576, 1_048_577, 2_000_000), fc.nat(3)).map(([length, kind]) => {
  const before = '{"platformId":"objects","accountId":"main","data":{"a":"';
  const bodies = [
    Buffer.from(`${before}${'a'.repeat(length - before.length - 3)}"}}`),
    Buffer.alloc(length, '['),
    Buffer.alloc(length, ' '),
    LONG_OBJECT,
  ];
  const body = bodies[kind] ?? NONE;
  const request = { method: 'POST', target: '/api/v1/sign', headers: jsonHeaders(body), body };
  return { ...whole('long body', 'POST', [requestBytes(request)]), mayOverload: true };
});

/** Requests that are complete as HTTP. */
export const requestCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    way,
    fc.oneof(
      { weight: 10, arbitrary: asItIs },
      { weight: 30, arbitrary: oddBody },
      { weight: 10, arbitrary: brokenBody },
      { weight: 10, arbitrary: oddHead },
      { weight: 10, arbitrary: oddPath },
      { weight: 5, arbitrary: oddMethod },
      { weight: 3, arbitrary: oddMediaType },
      { weight: 4, arbitrary: oddCoding },
      { weight: 4, arbitrary: inChunks },
      { weight: 1, arbitrary: long },
    ),
  )
  .map(([where, one]) => ({ ...one, way: where }));
