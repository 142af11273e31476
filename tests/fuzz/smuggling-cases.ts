import fc from 'fast-check';
import { FUZZED_ACCOUNT } from './base-requests.ts';
import { type FuzzCase, fuzzCase, getBytes, postBytes } from './fuzz-case.ts';

/** Appears only in smuggled requests. */
export const SMUGGLED_ACCOUNT = { platformId: 'texts', accountId: 'smuggled' } as const;

const SMUGGLED = postBytes('/api/v1/sign', { ...SMUGGLED_ACCOUNT, data: { text: 'smuggled' } });

const HEAD = 'POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const ALL = `Content-Length: ${SMUGGLED.length}\r\n`;
const SOME = 'Content-Length: 4\r\n';

/** Ambiguous framing headers (RFC 9112 §6, §11.2). */
const AMBIGUOUS: readonly (readonly [name: string, lines: string])[] = [
  ['length, then chunks', `${SOME}${CHUNKED}`],
  ['chunks, then length', `${CHUNKED}${SOME}`],
  ['all as length, then chunks', `${ALL}${CHUNKED}`],
  ['two lengths', `${SOME}${ALL}`],
  ['two lengths', `${ALL}${SOME}`],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 4\r\n'],
  ['two equal lengths', `${SOME}${SOME}`],
  ['list of lengths', `Content-Length: 4, ${SMUGGLED.length}\r\n`],
  ['list of equal lengths', 'Content-Length: 4, 4\r\n'],
  ['odd length', 'Content-Length: +4\r\n'],
  ['odd length', 'Content-Length: -4\r\n'],
  ['odd length', 'Content-Length: 0x4\r\n'],
  ['odd length', 'Content-Length: 4 4\r\n'],
  ['odd length', 'Content-Length: 4.0\r\n'],
  ['odd length', 'Content-Length: 4;q=1\r\n'],
  ['odd length', 'Content-Length: 99999999999999999999999999\r\n'],
  ['odd length', 'Content-Length: \r\n'],
  ['odd length', 'Content-Length: 4\0\r\n'],
  ['odd coding', `Transfer-Encoding: xchunked\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: chunked, identity\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: identity\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: identity, chunked\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n`],
  ['odd coding', `Transfer-Encoding: x\r\nTransfer-Encoding: chunked\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: "chunked"\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: chunked;q=1\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: \x0bchunked\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding: ch\0unked\r\n${SOME}`],
  ['odd coding', `Transfer-Encoding:\r\n${SOME}`],
  ['blank before the colon', `Transfer-Encoding : chunked\r\n${SOME}`],
  ['blank before the colon', `Content-Length : 4\r\n${CHUNKED}`],
  ['folded line', `Transfer-Encoding:\r\n chunked\r\n${SOME}`],
  ['folded line', `X: a\r\n Transfer-Encoding: chunked\r\n Content-Length: 4\r\n${SOME}${CHUNKED}`],
  ['folded line', `Content-Length: 4\r\n\t4\r\n${CHUNKED}`],
  ['bare line feed', `X: a\nTransfer-Encoding: chunked\r\n${SOME}`],
  ['bare carriage return', `X: a\rTransfer-Encoding: chunked\r\n${SOME}`],
  ['bare carriage return', `Content-Length: 4\r${CHUNKED}`],
  ['line without a colon', `Transfer-Encoding chunked\r\n${SOME}${CHUNKED}`],
  ['control character in a name', `Transfer\x01-Encoding: chunked\r\n${SOME}`],
  ['blank before a name', ` Transfer-Encoding: chunked\r\n${SOME}${CHUNKED}`],
];

/** The end of a body by either framing, and a smuggled request. */
const AFTER: readonly Buffer[] = [
  Buffer.concat([Buffer.from('0\r\n\r\n'), SMUGGLED]),
  Buffer.concat([Buffer.from('{}  '), SMUGGLED]),
  Buffer.concat([Buffer.from(`${SMUGGLED.length.toString(16)}\r\n`), SMUGGLED, Buffer.from('\r\n0\r\n\r\n')]),
  Buffer.concat([Buffer.from('1\r\nZ\r\nQ\r\n\r\n'), SMUGGLED]),
  SMUGGLED,
];

/** An ambiguous request must be rejected, and what follows ignored. */
const ambiguous: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...AMBIGUOUS), fc.constantFrom(...AFTER), fc.constantFrom('1.1', '1.1', '1.0'))
  .map(([[name, lines], after, version]) => {
    const head = `${HEAD.replace('HTTP/1.1', `HTTP/${version}`)}${lines}\r\n`;
    const writes = [Buffer.concat([Buffer.from(head, 'latin1'), after])];
    return fuzzCase({ kind: `raw: ${name}`, writes, isRefused: true, methods: ['POST'] });
  });

/** A request inside a body, chunk extension or trailer is data. */
const inside: fc.Arbitrary<FuzzCase> = fc
  .constantFrom(
    Buffer.concat([Buffer.from(`${HEAD}${ALL}\r\n`), SMUGGLED]),
    Buffer.concat([
      Buffer.from(`${HEAD}${CHUNKED}\r\n${SMUGGLED.length.toString(16)}\r\n`),
      SMUGGLED,
      Buffer.from('\r\n0\r\n\r\n'),
    ]),
    Buffer.concat([Buffer.from(`GET /healthz HTTP/1.1\r\nHost: localhost\r\n${ALL}\r\n`), SMUGGLED]),
    Buffer.concat([Buffer.from(`POST /nothing HTTP/1.1\r\nHost: localhost\r\n${ALL}\r\n`), SMUGGLED]),
    Buffer.concat([Buffer.from(`OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${ALL}\r\n`), SMUGGLED]),
    Buffer.concat([
      Buffer.from(`POST /api/v1/sign HTTP/1.1\r\nHost: localhost\r\nContent-Type: x\r\n${ALL}\r\n`),
      SMUGGLED,
    ]),
    Buffer.concat([Buffer.from(`POST /api/v1/sign HTTP/1.0\r\nHost: localhost\r\n\r\n`), SMUGGLED]),
    Buffer.concat([Buffer.from(`CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n`), SMUGGLED]),
    Buffer.concat([Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'), SMUGGLED]),
  )
  .map((bytes) => fuzzCase({ kind: 'raw: request in a body', writes: [bytes], mayBeTruncated: true }));

/** Smuggled requests, which must not be signed. */
export const smugglingCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 5, arbitrary: ambiguous },
  { weight: 1, arbitrary: inside },
);

/** A pipelined request, and a text unique to its response. */
interface Piped {
  readonly bytes: Buffer;
  readonly text: string;
}

const CHUNKS = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

const BROKEN = [
  ...['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\n: x\r\n\r\n', '\x16\x03\x01', 'POST '],
  ...[`POST /api/v1/sign HTTP/1.1\r\n${CHUNKS}z\r\n`, `POST /nothing HTTP/1.1\r\n${CHUNKS}z\r\n`],
];

function piped(kind: number, number: number): Piped {
  const name = `piped-${number}`;
  if (kind === 0) {
    const body = { platformId: 'texts', accountId: FUZZED_ACCOUNT, data: { text: name } };
    return { bytes: postBytes('/api/v1/sign?include=payload', body), text: `"payload":"${name}"` };
  }
  if (kind === 1) return { bytes: getBytes(`/api/v1/accounts/form-a/${name}`), text: `"accountId":"${name}"` };
  if (kind === 2) {
    const body = { platformId: 'texts', accountId: name, data: {} };
    return { bytes: postBytes('/api/v1/sign', body), text: `"accountId":"${name}"` };
  }
  return { bytes: getBytes('/healthz'), text: '"alive"' };
}

const row = fc
  .array(fc.nat(3), { minLength: 2, maxLength: 16 })
  .map((kinds) => kinds.map((kind, number) => piped(kind, number)));

/** Valid pipelined requests: responses in order. */
const valid: fc.Arbitrary<FuzzCase> = row.map((requests) =>
  fuzzCase({
    kind: 'raw: pipelined',
    writes: [Buffer.concat(requests.map(({ bytes }) => bytes))],
    ending: 'responses',
    least: requests.length,
    most: requests.length,
    texts: requests.map(({ text }) => text),
    mayOverload: true,
  }),
);

/** One is malformed: earlier requests get responses, it is rejected, later ones are ignored. */
const broken: fc.Arbitrary<FuzzCase> = fc.tuple(row, row, fc.constantFrom(...BROKEN)).map(([before, after, text]) => {
  const parts = [...before.map(({ bytes }) => bytes), Buffer.from(text, 'latin1'), ...after.map(({ bytes }) => bytes)];
  return fuzzCase({
    kind: 'raw: pipelined, one broken',
    writes: [Buffer.concat(parts)],
    ending: 'wait for close',
    least: before.length + 1,
    most: before.length + 1,
    texts: [...before.map((one) => one.text), '"success":false'],
    mayOverload: true,
  });
});

/** The same from a caller that leaves early. */
const left: fc.Arbitrary<FuzzCase> = fc.tuple(broken, fc.integer({ min: 0, max: 20 })).map(([one, readDelayMs]) => ({
  ...one,
  kind: 'raw: pipelined, one broken, reset',
  ending: 'reset',
  readDelayMs,
}));

/** Hundreds on one connection. Beyond the limit of those that wait, it is closed. */
const flood: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.integer({ min: 100, max: 800 }), fc.nat(3), fc.constantFrom('responses', 'reset' as const))
  .map(([count, kind, ending]) => {
    const requests = Array.from({ length: count }, (_, number) => piped(kind, number));
    return fuzzCase({
      kind: `raw: hundreds pipelined, ${ending === 'reset' ? 'reset' : 'read'}`,
      writes: [Buffer.concat(requests.map(({ bytes }) => bytes))],
      ending,
      least: count,
      most: count,
      mayOverload: true,
      mayBeTruncated: true,
    });
  });

/** Pipelined requests (RFC 9112 §9.3.2). */
export const pipeliningCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.constantFrom('http', 'http', 'http', 'https' as const),
    fc.oneof(
      { weight: 6, arbitrary: valid },
      { weight: 4, arbitrary: broken },
      { weight: 4, arbitrary: left },
      { weight: 1, arbitrary: flood },
    ),
  )
  .map(([way, one]) => ({ ...one, way }));
