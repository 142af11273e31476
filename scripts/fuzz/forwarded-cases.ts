import fc from 'fast-check';
import { BASE_REQUESTS } from './base-requests.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { validRequest } from './request-cases.ts';

/** The networks of proxies that the service over HTTP believes; the fuzzer calls from one of them. */
export const PROXIES = '127.0.0.0/8,10.99.0.0/16';

/** Proxies, and empty elements, which count as nothing (RFC 9110 §5.6.1). */
const HOPS = ['127.0.0.1', '10.99.1.2', '127.9.9.9', '', ' '];
/** Addresses that are served. */
const INSIDE = ['10.0.0.1', '192.168.7.7', '172.16.0.9', 'fd00::1', '::1', '::ffff:10.1.1.1', '169.254.1.1'];
/** Addresses that are not, and what is no address. */
const OUTSIDE = [
  ...['8.8.8.8', '203.0.113.9', '2001:db8::1', '::ffff:8.8.8.8', '0.0.0.0', '255.255.255.255', '172.32.0.1', '::'],
  ...['10.0.0.1:80', '[::1]', '[::1]:443', '"10.0.0.1"', 'unknown', '_hidden', 'localhost', '10.0.0.1;x', '10.0.0.1/8'],
  ...[
    'fe80::1%eth0',
    '010.0.0.1',
    '0x7f.1',
    '127.1',
    '10.0.0',
    '10.0.0.1.',
    '10.0.0.256',
    '-',
    '%31',
    '\x80',
    '__proto__',
  ],
  ...['for=10.0.0.1', '10.0.0.1 10.0.0.2', '::1::', ':', 'a'.repeat(300), '1'.repeat(300)],
];
/** What others wrote before it is not looked at. */
const BEFORE = [...INSIDE, ...OUTSIDE, ...HOPS];

const hops = fc.array(fc.constantFrom(...HOPS), { maxLength: 3 });
/** Up to thousands. */
const before = fc.tuple(
  fc.array(fc.constantFrom(...BEFORE), { maxLength: 6 }),
  fc.constantFrom(0, 0, 0, 10, 1000, 4000),
);

/** A request that comes through proxies is served or refused for the last address that is none of theirs, and the answer is whole in either case. */
export const forwardedCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(fc.constantFrom(...BASE_REQUESTS), before, fc.boolean(), fc.nat(), hops, fc.boolean())
  .map(([request, [others, many], isInside, place, after, isSplit]) => {
    const choice = isInside ? INSIDE : OUTSIDE;
    const decisive = choice[place % choice.length] ?? '';
    const list = [...Array<string>(many).fill('::'), ...others, decisive, ...after];
    const at = isSplit ? Math.floor(list.length / 2) : 0;
    const parts = [list.slice(0, at), list.slice(at)].filter(({ length }) => length > 0);
    const lines = parts.map((elements) => `X-Forwarded-For: ${elements.join(',')}`);
    return {
      ...validRequest(request, lines),
      kind: `callers: forwarded, ${isInside ? 'served' : 'refused'}`,
      texts: [isInside ? '"success":true' : '"NETWORK_NOT_ALLOWED"'],
      mayOverload: isInside,
    };
  });
