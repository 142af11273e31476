import fc from 'fast-check';
import { BASE_REQUESTS, FUZZED_ACCOUNT, isOperatorRequest } from './base-requests.ts';
import { chunked, type FuzzCase, fuzzCase, getBytes, jsonHeaders, postBytes, requestBytes } from './fuzz-case.ts';
import { hostileBytes } from './hostile-input.ts';
import { manyHeaders } from './request-cases.ts';

const NONE = Buffer.alloc(0);
const SIGN = { platformId: 'texts', accountId: FUZZED_ACCOUNT, data: { text: 'raw' } };
const SIGN_BODY = Buffer.from(JSON.stringify(SIGN));
const CHUNKED_HEADERS = ['Host: localhost', 'Content-Type: application/json', 'Transfer-Encoding: chunked'];
const CHUNKED_HEAD = { method: 'POST', target: '/api/v1/sign', headers: CHUNKED_HEADERS, body: NONE };

/** Every complete request. */
const WHOLE = [
  ...BASE_REQUESTS.filter((one) => !isOperatorRequest(one)).map(({ method, path, query, body }) => {
    const target = query === '' ? path : `${path}?${query}`;
    return method === 'POST' && body !== null ? postBytes(target, body) : getBytes(target);
  }),
  requestBytes({ ...CHUNKED_HEAD, body: chunked(SIGN_BODY, [20]) }),
];

const ending = fc.constantFrom('half-close', 'reset' as const);

/** Truncated anywhere, in one or two writes. */
const truncated: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...WHOLE), fc.nat(), fc.nat(), ending, fc.boolean())
  .map(([bytes, end, middle, how, isSlow]) => {
    const cut = bytes.subarray(0, end % bytes.length);
    const at = cut.length === 0 ? 0 : middle % cut.length;
    const writes = isSlow ? [cut.subarray(0, at), cut.subarray(at)] : [cut];
    return fuzzCase({ kind: `raw: truncated, ${how}`, writes, pauseMs: 5, ending: how });
  });

/** Complete, but closed before the response. */
const abandoned: fc.Arbitrary<FuzzCase> = fc
  .constantFrom(...WHOLE)
  .map((bytes) => fuzzCase({ kind: 'raw: whole, reset', writes: [bytes], ending: 'reset' }));

const ODD_CHUNKS = [
  ...['z\r\n', '-1\r\n\r\n', '0x5\r\nhello\r\n0\r\n\r\n', '5\nhello\n0\n\n', '5\r\nhello0\r\n\r\n'],
  '5\r\nhell\r\n0\r\n\r\n',
  ...['5;a=b\r\nhello\r\n0\r\n\r\n', '5 \r\nhello\r\n0\r\n\r\n', ' 5\r\nhello\r\n0\r\n\r\n'],
  '5;\r\nhello\r\n0\r\n\r\n',
  ...['ffffffffffffffff\r\nx', 'fffffffffffffffff\r\nx', '7fffffffffffffff\r\nx', '100000\r\nx', '\r\n'],
  '5\r\r\nhello',
  ...['0\r\nTrailer: x\r\n\r\n', '0\r\nContent-Length: 5\r\nTransfer-Encoding: x\r\n\r\n', '0\r\nHost: other\r\n\r\n'],
  ...['0\r\n bad\r\n\r\n', '0\r\n\x00: x\r\n\r\n', '0\r\n:\r\n\r\n', '0\r\n', '0', ''],
  '5;"a\r\nb"=c\r\nhello\r\n0\r\n\r\n',
  ...['5;a="\n"\r\nhello\r\n0\r\n\r\n', '05\r\nhello\r\n0\r\n\r\n', `${'0'.repeat(5000)}5\r\nhello\r\n0\r\n\r\n`],
  ...[`1;${'x'.repeat(20_000)}\r\n`, `1;a\r\nx\r\n`.repeat(5000), `0\r\n${'t: x\r\n'.repeat(4000)}\r\n`],
];

const badChunks: fc.Arbitrary<FuzzCase> = fc.constantFrom(...ODD_CHUNKS).map((body) => {
  const bytes = requestBytes({ ...CHUNKED_HEAD, body: Buffer.from(body, 'latin1') });
  return fuzzCase({ kind: 'raw: bad chunks', writes: [bytes], methods: ['POST'] });
});

/** A wrong Content-Length. */
const wrongLength: fc.Arbitrary<FuzzCase> = fc.integer({ min: -60, max: 60 }).map((difference) => {
  const length = Math.max(0, SIGN_BODY.length + difference);
  const headers = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${length}`];
  const bytes = requestBytes({ method: 'POST', target: '/api/v1/sign', headers, body: SIGN_BODY });
  // The remainder is a second, malformed request.
  return fuzzCase({ kind: 'raw: wrong length', writes: [bytes], most: 2, methods: ['POST'], mayBeTruncated: true });
});

const headerFlood: fc.Arbitrary<FuzzCase> = fc.tuple(manyHeaders, fc.boolean()).map(([lines, isPost]) => {
  const body = isPost ? SIGN_BODY : NONE;
  const headers = [...(isPost ? jsonHeaders(body) : ['Host: localhost']), ...lines];
  const [method, target] = isPost ? ['POST', '/api/v1/sign'] : ['GET', '/healthz'];
  return fuzzCase({ kind: 'raw: many headers', writes: [requestBytes({ method, target, headers, body })] });
});

const HUGE = ['a: ', `${'n'.repeat(16_000)}: `, 'Host: '];

const hugeHeader: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...HUGE), fc.constantFrom(10_000, 16_300, 16_384, 100_000, 1_000_000))
  .map(([name, length]) => {
    const bytes = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${name}${'x'.repeat(length)}\r\n\r\n`);
    return fuzzCase({ kind: 'raw: huge header', writes: [bytes], mayBeTruncated: true });
  });

const OTHER_PROTOCOLS = [
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0',
  'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n',
  'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n',
  'CONNECT / HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n',
  'GET /healthz\r\n',
  'GET /healthz HTTP/0.9\r\n\r\n',
  'GET /healthz HTTP/1.0\r\n\r\n',
  'GET /healthz HTTP/1.1\r\n\r\n',
  'GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n',
  'GET /healthz HTTP/1.10\r\nHost: x\r\n\r\n',
  'GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET\t/healthz\tHTTP/1.1\r\nHost: x\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  '\r\n\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /healthz HTTP/1.1\nHost: x\n\n',
  'GET /healthz HTTP/1.1\rHost: x\r\r',
  'PING\r\n*1\r\n$4\r\nPING\r\n',
  'EHLO localhost\r\nMAIL FROM:<a@b>\r\n',
  'SSH-2.0-OpenSSH_9.0\r\n',
  '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
  '\0'.repeat(4000),
  '\xff'.repeat(20_000),
];

const otherProtocol: fc.Arbitrary<FuzzCase> = fc
  .constantFrom(...OTHER_PROTOCOLS)
  .map((text) =>
    fuzzCase({ kind: 'raw: other protocols', writes: [Buffer.from(text, 'latin1')], mayBeTruncated: true }),
  );

const noise: fc.Arbitrary<FuzzCase> = fc
  .uint8Array({ minLength: 1, maxLength: 2000 })
  .map((bytes) => fuzzCase({ kind: 'raw: noise', writes: [Buffer.from(bytes)], most: 3, mayBeTruncated: true }));

const mutated: fc.Arbitrary<FuzzCase> = fc
  .constantFrom(...WHOLE)
  .chain(hostileBytes)
  // An additional line end can split a request in two, and the second may be valid.
  .map((bytes) => fuzzCase({ kind: 'raw: changed bytes', writes: [bytes], most: 4, mayBeTruncated: true }));

const inPieces: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...WHOLE), fc.array(fc.nat(), { minLength: 1, maxLength: 8 }))
  .map(([bytes, places]) => {
    const cuts = [0, ...places.map((place) => place % bytes.length).sort((left, right) => left - right), bytes.length];
    const writes = cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index] ?? 0, cut));
    const expected = { ending: 'responses', least: 1, texts: ['"success":true'] } as const;
    return fuzzCase({ kind: 'raw: in pieces', writes, pauseMs: 2, ...expected });
  });

const LISTS = [getBytes('/api/v1/accounts'), getBytes('/api/v1/accounts?platform=alpha')];

function ofVersion(bytes: Buffer, version: string, lines: string): Buffer {
  const lineEnd = bytes.indexOf('\r\n');
  const line = bytes.toString('latin1', 0, lineEnd).replace(/ HTTP\/1\.1$/, version);
  return Buffer.concat([Buffer.from(`${line}\r\n${lines}`, 'latin1'), bytes.subarray(lineEnd + 2)]);
}

/** HTTP/1.0, as from older proxies: served; a long list ends with the connection. */
const older: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...WHOLE.slice(0, -1), ...LISTS, ...LISTS), fc.constantFrom('', 'Connection: keep-alive\r\n'))
  .map(([bytes, lines]) => {
    const expected = { ending: 'responses', least: 1, texts: ['"success":true'], mayOverload: true } as const;
    return fuzzCase({ kind: 'raw: HTTP/1.0', writes: [ofVersion(bytes, ' HTTP/1.0', lines)], ...expected });
  });

const OTHER_VERSIONS = [' HTTP/1.2', ' HTTP/3.0', ' HTTP/1.10', ' http/1.1', ' HTTP/1.'];

/** Other versions: rejected, and the connection closed. */
const otherVersion: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.constantFrom(...WHOLE, ...LISTS),
    fc.constantFrom(...OTHER_VERSIONS),
    fc.constantFrom('', 'Connection: keep-alive\r\n'),
  )
  .map(([bytes, version, lines]) => {
    const writes = [Buffer.concat([ofVersion(bytes, version, lines), getBytes('/healthz')])];
    return fuzzCase({ kind: 'raw: other versions of HTTP', writes, isRefused: true });
  });

/** Incomplete, multiple or invalid requests. */
export const rawCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.constantFrom('http', 'http', 'http', 'https' as const),
    fc.oneof(
      { weight: 8, arbitrary: truncated },
      { weight: 2, arbitrary: abandoned },
      { weight: 4, arbitrary: badChunks },
      { weight: 3, arbitrary: wrongLength },
      { weight: 2, arbitrary: headerFlood },
      { weight: 1, arbitrary: hugeHeader },
      { weight: 3, arbitrary: otherProtocol },
      { weight: 2, arbitrary: noise },
      { weight: 8, arbitrary: mutated },
      { weight: 2, arbitrary: inPieces },
      { weight: 1, arbitrary: older },
      { weight: 2, arbitrary: otherVersion },
    ),
  )
  .map(([way, one]) => ({ ...one, way }));
