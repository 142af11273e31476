import fc from 'fast-check';
import { type FuzzCase, fuzzCase, getBytes } from './fuzz-case.ts';
import { hostileBytes } from './hostile-input.ts';

/** A ClientHello (RFC 8446 §4.1.2) in its record, for TLS 1.3 and 1.2. */
const HELLO = Buffer.from(
  `1603010054010000500303${'07'.repeat(32)}00000813011302c02bc02f0100001f` +
    '000a000400020017000d000400020403003300020000002b00050403040303',
  'hex',
);

/** Also an alert, and other protocols. */
const PIECES = [
  HELLO,
  Buffer.from('15030300020228', 'hex'),
  getBytes('/healthz'),
  Buffer.from('PRI * HTTP/2.0\r\n\r\n'),
];

const altered = fc.constantFrom(...PIECES).chain(hostileBytes);
const noise = fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes));

/** Invalid or incomplete handshakes: no HTTP may come back below TLS. */
export const tlsCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: altered }, noise), fc.constantFrom('half-close', 'reset' as const))
  .map(([bytes, ending]) =>
    fuzzCase({ kind: `TLS: garbage below it, ${ending}`, way: 'below TLS', writes: [bytes], ending, most: 0 }),
  );
