import { METHODS } from 'node:http';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { BASE_REQUESTS, type BaseRequest, isOfOperators } from './base-requests.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { hostileText } from './hostile-json.ts';
import { chunked, jsonHeaders, requestBytes } from './http-text.ts';
import { oddHeaders } from './odd-headers.ts';
import { oddTarget } from './odd-targets.ts';

const NONE = Buffer.alloc(0);
/** Of one kind of byte each; inflated, the longest is a hundred times what a body may have. */
const BOMB = gzipSync(Buffer.alloc(10_000_000, ' '));
const LONG_OBJECT = Buffer.from(
  `{"platformId":"objects","accountId":"main","data":{${Array.from({ length: 80_000 }, (_, index) => `"m${index}":1`).join(',')}}}`,
);

const base = fc.constantFrom(...BASE_REQUESTS);
/** Reloads read files, so there are not too many of them. */
const posted = fc.constantFrom(...BASE_REQUESTS.filter(({ body }) => body !== null));
const way = fc.constantFrom('http', 'http', 'http', 'https' as const);

function bodyOf({ body }: BaseRequest): Buffer {
  return body === null ? NONE : Buffer.from(JSON.stringify(body));
}

function targetOf({ path, query }: BaseRequest): string {
  return query === '' ? path : `${path}?${query}`;
}

/** A whole request: one answer has to come. */
function whole(name: string, method: string, writes: readonly Buffer[]): FuzzCase {
  return fuzzCase({ kind: `request: ${name}`, writes, ending: 'answers', least: 1, methods: [method] });
}

function headersFor({ body }: BaseRequest, sent: Buffer): readonly string[] {
  return body === null ? ['Host: localhost'] : jsonHeaders(sent);
}

/** A request as it should be, which is served; with more lines in its head. */
export function validRequest(one: BaseRequest, lines: readonly string[] = []): FuzzCase {
  const body = bodyOf(one);
  const text = { method: one.method, target: targetOf(one), headers: [...headersFor(one, body), ...lines], body };
  const expected = { isAdmin: isOfOperators(one), texts: ['"success":true'] };
  return { ...whole(`${one.name}, valid`, one.method, [requestBytes(text)]), ...expected };
}

const asItIs = base.map((one) => validRequest(one));

const oddBody = posted.chain((one) =>
  hostileText(one.body).map((text) => {
    const body = Buffer.from(text);
    const request = { method: 'POST', target: targetOf(one), headers: jsonHeaders(body), body };
    return whole(`${one.name}, odd JSON`, 'POST', [requestBytes(request)]);
  }),
);

const brokenBody = posted.chain((one) =>
  hostileBytes(bodyOf(one)).map((body) => {
    const request = { method: 'POST', target: targetOf(one), headers: jsonHeaders(body), body };
    return whole(`${one.name}, broken JSON`, 'POST', [requestBytes(request)]);
  }),
);

const oddHead = fc.tuple(base, oddHeaders, fc.boolean()).map(([one, lines, isFirst]) => {
  const body = bodyOf(one);
  const own = headersFor(one, body);
  const request = {
    method: one.method,
    target: targetOf(one),
    headers: isFirst ? [...lines, ...own] : [...own, ...lines],
    body,
  };
  return { ...whole(`${one.name}, odd headers`, one.method, [requestBytes(request)]), isAdmin: isOfOperators(one) };
});

const oddPath = fc.tuple(oddTarget, fc.constantFrom('GET', 'POST', 'HEAD')).map(([target, method]) => {
  const request = { method, target, headers: ['Host: localhost'], body: NONE };
  // A target with a blank in it is no request, and the connection may close on it.
  return { ...whole('odd path', method, [requestBytes(request)]), ending: 'half-close' as const, least: 0 };
});

const UNKNOWN_METHODS = ['SIGN', 'get', 'Post', 'GET\t', '', 'G\0T', 'PRI', 'DEBUG', 'M-POST', 'A'.repeat(300)];

const oddMethod = fc.tuple(base, fc.constantFrom(...METHODS, ...UNKNOWN_METHODS)).map(([one, method]) => {
  const request = { method, target: targetOf(one), headers: ['Host: localhost', 'Content-Length: 0'], body: NONE };
  return { ...whole('odd method', method, [requestBytes(request)]), ending: 'half-close' as const, least: 0 };
});

const CONTENT_TYPES = [
  ...['text/plain', 'application/json; charset=utf-16', 'application/json; charset="utf-8"', 'application/json;;'],
  ...['multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'application/jsonp', 'APPLICATION/JSON'],
  ...['application/json, text/html', `application/json${' '.repeat(5000)}x`, 'application/json; a=b', '', '\xff'],
];

const oddMediaType = fc.tuple(posted, fc.constantFrom(...CONTENT_TYPES)).map(([one, type]) => {
  const body = bodyOf(one);
  const headers = ['Host: localhost', `Content-Type: ${type}`, `Content-Length: ${body.length}`];
  return whole('odd media type', 'POST', [requestBytes({ method: 'POST', target: targetOf(one), headers, body })]);
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
  const body = encode(bodyOf(one));
  const headers = [...jsonHeaders(body), `Content-Encoding: ${name}`];
  return whole('odd encoding', 'POST', [requestBytes({ method: 'POST', target: targetOf(one), headers, body })]);
});

const inChunks = fc
  .tuple(posted, fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 5 }))
  .map(([one, sizes]) => {
    const headers = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
    const body = chunked(bodyOf(one), sizes);
    const text = requestBytes({ method: 'POST', target: targetOf(one), headers, body });
    return { ...whole(`${one.name}, in chunks`, 'POST', [text]), texts: ['"success":true'] };
  });

/** 1 MB and a little more or less, of several kinds. */
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

/** Requests that are whole as HTTP, whatever they hold. */
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
