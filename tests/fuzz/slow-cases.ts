import { type FuzzCase, fuzzCase, getBytes, postBytes } from './fuzz-case.ts';

/** One byte a second, beyond the timeouts: 10 seconds for headers, 30 for all. */
const HEADERS_MS = 16_000;
const ALL_MS = 36_000;
const SLOW_MS = 700;

const SIGN = postBytes('/api/v1/sign', { platformId: 'texts', accountId: 'main', data: { text: 'slow' } });
const HEAD_END = SIGN.indexOf('\r\n\r\n') + 4;

/** The single bytes sent in that time. */
function byteByByte(bytes: Buffer, ms: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(ms / SLOW_MS) }, (_, place) => bytes.subarray(place, place + 1));
}

/** Slow callers (slowloris) that the service must disconnect, in headers, body or handshake. */
const SLOW_CALLERS: readonly FuzzCase[] = (['http', 'https'] as const).flatMap((way) => [
  fuzzCase({
    kind: 'slow: headers byte by byte',
    way,
    writes: byteByByte(SIGN, HEADERS_MS),
    pauseMs: SLOW_MS,
    ending: 'wait for close',
    silenceMs: HEADERS_MS,
  }),
  fuzzCase({ kind: 'slow: nothing', way, writes: [], ending: 'wait for close', silenceMs: HEADERS_MS }),
  fuzzCase({
    kind: 'slow: half a request line',
    way,
    writes: [SIGN.subarray(0, 10)],
    ending: 'wait for close',
    silenceMs: HEADERS_MS,
  }),
  fuzzCase({
    kind: 'slow: body byte by byte',
    way,
    writes: [SIGN.subarray(0, HEAD_END), ...byteByByte(SIGN.subarray(HEAD_END), ALL_MS)],
    pauseMs: SLOW_MS,
    ending: 'wait for close',
    silenceMs: ALL_MS,
  }),
]);

const NO_HANDSHAKE: FuzzCase = fuzzCase({
  kind: 'slow: no handshake',
  way: 'below TLS',
  writes: [Buffer.from([22, 3, 1])],
  ending: 'wait for close',
  most: 0,
  silenceMs: HEADERS_MS,
});

/** Streamed lists to callers that read late or leave. */
const SLOW_READERS: readonly FuzzCase[] = (['responses', 'reset'] as const).map((ending) =>
  fuzzCase({
    kind: `slow: list, ${ending === 'reset' ? 'left' : 'read late'}`,
    writes: [getBytes('/api/v1/accounts')],
    ending,
    readDelayMs: 1500,
    least: 1,
    mayOverload: true,
    silenceMs: 40_000,
  }),
);

/** Slow cases, twice each, run beside all others. */
export const SLOW_CASES: readonly FuzzCase[] = [...SLOW_CALLERS, NO_HANDSHAKE, ...SLOW_READERS].flatMap((one) => [
  one,
  one,
]);
