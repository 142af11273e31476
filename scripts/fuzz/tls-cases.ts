import fc from 'fast-check';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { getBytes } from './http-text.ts';

const RANDOM = Buffer.alloc(32, 7);
const CIPHERS = Buffer.from('13011302c02bc02f', 'hex');

/** A record (RFC 8446 §5.1). */
function record(type: number, version: number, content: Buffer, length = content.length): Buffer {
  return Buffer.concat([Buffer.from([type, version >> 8, version & 255, length >> 8, length & 255]), content]);
}

function helloBody(extensions: Buffer): Buffer {
  const ciphers = Buffer.concat([Buffer.from([0, CIPHERS.length]), CIPHERS, Buffer.from([1, 0])]);
  const body = Buffer.concat([Buffer.from([3, 3]), RANDOM, Buffer.from([0]), ciphers, extensions]);
  return Buffer.concat([Buffer.from([1, 0, body.length >> 8, body.length & 255]), body]);
}

const EXTENSIONS = Buffer.from('000a000a0004000200170000000d0004000204030033000200000002b0003020304', 'hex');
const HELLO = record(22, 0x0301, helloBody(Buffer.concat([Buffer.from([0, EXTENSIONS.length]), EXTENSIONS])));
const SMALL_HELLO = record(22, 0x0301, helloBody(Buffer.alloc(0)));

const PIECES: readonly Buffer[] = [
  HELLO,
  SMALL_HELLO,
  record(22, 0x0301, Buffer.alloc(0)),
  record(22, 0x0301, Buffer.from([1, 255, 255, 255]), 0xffff),
  record(21, 0x0303, Buffer.from([2, 40])),
  record(21, 0x0303, Buffer.from([1, 0])),
  record(23, 0x0303, Buffer.alloc(100, 1)),
  record(24, 0x0303, Buffer.from([1, 0x40, 0])),
  record(20, 0x0303, Buffer.from([1])),
  record(99, 0x9999, Buffer.alloc(20)),
  Buffer.from('802e0100020015000000', 'hex'),
  getBytes('/healthz'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
];

/** Below TLS nothing that is HTTP may come back. */
const garbage: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 3 }),
    fc.constantFrom('half-close', 'reset' as const),
    fc.option(fc.nat(), { nil: null }),
    fc.boolean(),
  )
  .map(([pieces, ending, cut, isTurned]) => {
    const all = Buffer.concat(pieces);
    const bytes = cut === null ? all : all.subarray(0, 1 + (cut % all.length));
    if (isTurned && cut !== null) bytes[cut % bytes.length] = (bytes[cut % bytes.length] ?? 0) ^ 0x55;
    return fuzzCase({ kind: 'TLS: garbage below it', way: 'below TLS', writes: [bytes], ending, most: 0 });
  });

const noise: fc.Arbitrary<FuzzCase> = fc
  .uint8Array({ minLength: 1, maxLength: 500 })
  .map((bytes) => fuzzCase({ kind: 'TLS: noise below it', way: 'below TLS', writes: [Buffer.from(bytes)], most: 0 }));

/** Bytes on the port of HTTPS that are no handshake, or not all of one. */
export const tlsCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 3, arbitrary: garbage },
  { weight: 1, arbitrary: noise },
);
