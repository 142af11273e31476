import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import fc from 'fast-check';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import { Authority } from '../harness/test-authority.ts';
import { BASE_REQUESTS, isOperatorRequest } from './base-requests.ts';
import { type Certificate, type FuzzCase, fuzzCase, postBytes } from './fuzz-case.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases, validRequest } from './request-cases.ts';

/** Has all permissions. */
export const FUZZ_PRINCIPAL = 'fuzz';

/** May only sign for {@link LIMITED_ACCOUNT}. */
export const LIMITED_PRINCIPAL = 'fuzz-limited';

/** Used by {@link LIMITED_PRINCIPAL} only. */
export const LIMITED_ACCOUNT = { platformId: 'texts', accountId: 'limited' } as const;

/** For the service with client certificates. */
export const FUZZ_PERMISSIONS: readonly PermissionEntry[] = [
  { principals: [FUZZ_PRINCIPAL], accounts: ['*/*'], operations: ['*'] },
  {
    principals: [LIMITED_PRINCIPAL],
    accounts: [`${LIMITED_ACCOUNT.platformId}/${LIMITED_ACCOUNT.accountId}`],
    operations: ['sign'],
  },
];

/** The trusted authority, and the certificates of callers. */
export interface ClientCertificates {
  readonly caFile: string;
  readonly contexts: { readonly [Name in Certificate]: SecureContext };
}

/** Creates them in a folder with OpenSSL. */
export function makeClientCertificates(folder: string): ClientCertificates {
  const authority = new Authority(folder, 'clients-ca');
  const name = `/CN=${FUZZ_PRINCIPAL}`;
  return {
    caFile: authority.certFile,
    contexts: {
      own: getContext(authority.issue('own', { name })),
      limited: getContext(authority.issue('limited', { name: `/CN=${LIMITED_PRINCIPAL}` })),
      foreign: getContext(new Authority(folder, 'foreign-ca').issue('foreign', { name })),
      misused: getContext(authority.issue('misused', { name, use: 'serverAuth' })),
      none: createSecureContext(),
    },
  };
}

function getContext({ certFile, keyFile }: TlsFileNames): SecureContext {
  return createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
}

const STRANGERS = ['none', 'foreign', 'misused', 'limited'] as const;

const REFUSALS: { readonly [Name in Certificate]?: string } = {
  none: '"CLIENT_CERTIFICATE_REQUIRED"',
  foreign: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  misused: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  limited: '"PERMISSION_DENIED"',
};

function describe(certificate: Certificate): string {
  return certificate === 'none' ? 'no certificate' : `${certificate} certificate`;
}

const stranger = fc.constantFrom(...STRANGERS);
const SERVED = BASE_REQUESTS.filter(({ name }) => name !== 'health');
const someRequest = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...SERVED.filter((one) => !isOperatorRequest(one))) },
  { weight: 1, arbitrary: fc.constantFrom(...SERVED.filter(isOperatorRequest)) },
);

/** All other cases, from a caller without permissions. */
const hostile: fc.Arbitrary<FuzzCase> = fc
  .tuple(stranger, fc.boolean(), fc.oneof(requestCases, rawCases))
  .map(([certificate, isAdmin, one]) => ({
    ...one,
    ...{ kind: `callers: ${describe(certificate)}, hostile`, way: 'https', certificate, isAdmin, isDenied: true },
    texts: [],
  }));

/** Valid requests that the permissions forbid. */
const valid: fc.Arbitrary<FuzzCase> = fc.tuple(stranger, someRequest).map(([certificate, request]) => ({
  ...validRequest(request),
  ...{ kind: `callers: ${describe(certificate)}`, way: 'https', certificate, isDenied: true },
  isAdmin: isOperatorRequest(request),
  texts: [REFUSALS[certificate] ?? null],
}));

/** Permitted requests keep working. */
const allowed: fc.Arbitrary<FuzzCase> = fc.constant(
  fuzzCase({
    ...{ kind: 'callers: limited certificate, its account', way: 'https', certificate: 'limited' },
    writes: [postBytes('/api/v1/sign', { ...LIMITED_ACCOUNT, data: { text: 'limited' } })],
    ...{ ending: 'responses', least: 1, texts: ['"success":true'] },
  }),
);

/** Each listener serves only its own paths; for the console, both serve the accounts. */
const misplaced: fc.Arbitrary<FuzzCase> = someRequest
  .filter(({ name }) => name !== 'accounts')
  .map((request) => ({
    ...validRequest(request),
    ...{ kind: 'callers: at the other listener', way: 'https' },
    isAdmin: !isOperatorRequest(request),
    texts: ['"NOT_FOUND"'],
  }));

/** HTTPS callers with and without a certificate, and what they may not do. */
export const deniedCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 4, arbitrary: hostile },
  { weight: 3, arbitrary: valid },
  { weight: 1, arbitrary: allowed },
  { weight: 2, arbitrary: misplaced },
);

/** Trusted proxies of the service over HTTP; the fuzzer is in one of these networks. */
export const PROXIES = '127.0.0.0/8,10.99.0.0/16';

/** Proxies and empty elements, which are ignored (RFC 9110 §5.6.1). */
const HOPS = ['127.0.0.1', '10.99.1.2', '127.9.9.9', '', ' '];
/** Allowed addresses. */
const INSIDE = ['10.0.0.1', '192.168.7.7', '172.16.0.9', 'fd00::1', '::1', '::ffff:10.1.1.1', '169.254.1.1'];
/** Other addresses and invalid ones. */
const OUTSIDE = [
  ...['8.8.8.8', '203.0.113.9', '2001:db8::1', '::ffff:8.8.8.8', '0.0.0.0', '255.255.255.255', '172.32.0.1', '::'],
  ...['10.0.0.1:80', '[::1]', '[::1]:443', '"10.0.0.1"', 'unknown', '_hidden', 'localhost', '10.0.0.1;x', '10.0.0.1/8'],
  ...['fe80::1%eth0', '010.0.0.1', '0x7f.1', '127.1', '10.0.0', '10.0.0.1.', '10.0.0.256', '-', '%31', '\x80'],
  '__proto__',
  ...['for=10.0.0.1', '10.0.0.1 10.0.0.2', '::1::', ':', 'a'.repeat(300), '1'.repeat(300)],
];
/** Earlier elements are ignored. */
const BEFORE = [...INSIDE, ...OUTSIDE, ...HOPS];

const hops = fc.array(fc.constantFrom(...HOPS), { maxLength: 3 });
/** Up to thousands. */
const before = fc.tuple(
  fc.array(fc.constantFrom(...BEFORE), { maxLength: 6 }),
  fc.constantFrom(0, 0, 0, 10, 1000, 4000),
);

/**
 * The last address outside the proxies decides whether a request is served; the response is
 * complete either way.
 */
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
