import fc from 'fast-check';
import { MAX_PIPELINED } from '../../src/adapters/driving/http/connections/served-connections.ts';
import { FUZZED_ACCOUNT } from './base-requests.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { getBytes, postBytes } from './http-text.ts';

/** One of a row of requests, and a text that its answer has and those of others have not. */
interface Piped {
  readonly bytes: Buffer;
  readonly text: string;
}

const CHUNKS = 'Host: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

const BROKEN = [
  ...['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\n: x\r\n\r\n', '\x16\x03\x01', 'POST '],
  ...['CONNECT localhost:1 HTTP/1.1\r\nHost: localhost:1\r\n\r\n', 'CONNECT / HTTP/1.0\r\n\r\n', 'CONNECT a:1\r\n\r\n'],
  ...[`POST /api/v1/sign HTTP/1.1\r\n${CHUNKS}z\r\n`, `POST /nothing HTTP/1.1\r\n${CHUNKS}z\r\n`],
  ...['GET /healthz\r\n\r\n', 'GET /healthz HTTP/2.0\r\n\r\n'],
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
  .array(fc.nat(3), { minLength: 2, maxLength: MAX_PIPELINED })
  .map((kinds) => kinds.map((kind, number) => piped(kind, number)));

/** Valid requests one behind the other: each answer in its place. */
const valid: fc.Arbitrary<FuzzCase> = row.map((requests) =>
  fuzzCase({
    kind: 'raw: pipelined',
    writes: [Buffer.concat(requests.map(({ bytes }) => bytes))],
    ending: 'answers',
    least: requests.length,
    most: requests.length,
    texts: requests.map(({ text }) => text),
    mayOverload: true,
  }),
);

/** One of them is none: what was asked before it is answered, then that is refused, and nothing after it is answered. */
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

/** The same, from a caller who is gone before it is answered. */
const left: fc.Arbitrary<FuzzCase> = fc.tuple(broken, fc.integer({ min: 0, max: 20 })).map(([one, deafMs]) => ({
  ...one,
  kind: 'raw: pipelined, one broken, reset',
  ending: 'reset',
  deafMs,
}));

/**
 * Hundreds on one connection, far more than may wait there: it is closed, and no more are handled
 * than may wait.
 */
const flood: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.integer({ min: 100, max: 800 }), fc.nat(3), fc.constantFrom('wait for close', 'reset' as const))
  .map(([count, kind, ending]) => {
    const requests = Array.from({ length: count }, (_, number) => piped(kind, number));
    return fuzzCase({
      kind: `raw: hundreds pipelined, ${ending === 'reset' ? 'reset' : 'read'}`,
      writes: [Buffer.concat(requests.map(({ bytes }) => bytes))],
      ending,
      most: MAX_PIPELINED + 1,
      mayOverload: true,
      mayBeTorn: true,
    });
  });

/** Requests that do not wait for the answers before them (RFC 9112 §9.3.2). */
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
