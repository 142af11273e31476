import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import fc from 'fast-check';
import type { TlsFileNames } from '../../src/adapters/driving/http/tls/tls-files.ts';
import type { PermissionEntry } from '../../src/domain/model/permission-entry.ts';
import { Authority } from '../api/make-authority.ts';
import { issueToken, signRequest, TestKey } from '../authentication/parties.ts';
import { BASE_REQUESTS, FUZZED_ACCOUNT, isOfOperators } from './base-requests.ts';
import { type Certificate, type FuzzCase, fuzzCase, jsonHeaders, postBytes, requestBytes } from './fuzz-case.ts';
import { hostileBytes } from './hostile-input.ts';
import { rawCases } from './raw-cases.ts';
import { requestCases, validRequest } from './request-cases.ts';

/** May do everything. */
export const FUZZ_PRINCIPAL = 'fuzz';

/** May sign for {@link LIMITED_ACCOUNT}, and nothing else. */
export const LIMITED_PRINCIPAL = 'fuzz-limited';

/** Signed for by {@link LIMITED_PRINCIPAL}; no other request of the fuzzer names it. */
export const LIMITED_ACCOUNT = { platformId: 'texts', accountId: 'limited' } as const;

/** The list of the service with client certificates. */
export const FUZZ_PERMISSIONS: readonly PermissionEntry[] = [
  { principals: [FUZZ_PRINCIPAL], accounts: ['*/*'], operations: ['*'] },
  {
    principals: [LIMITED_PRINCIPAL],
    accounts: [`${LIMITED_ACCOUNT.platformId}/${LIMITED_ACCOUNT.accountId}`],
    operations: ['sign'],
  },
];

/** The authority that the service believes, and what its callers connect with. */
export interface ClientCertificates {
  readonly caFile: string;
  readonly contexts: { readonly [Name in Certificate]: SecureContext };
}

/** Makes them in a folder, by OpenSSL. */
export function makeClientCertificates(folder: string): ClientCertificates {
  const authority = new Authority(folder, 'clients-ca');
  const name = `/CN=${FUZZ_PRINCIPAL}`;
  return {
    caFile: authority.certFile,
    contexts: {
      own: contextOf(authority.issue('own', { name })),
      limited: contextOf(authority.issue('limited', { name: `/CN=${LIMITED_PRINCIPAL}` })),
      foreign: contextOf(new Authority(folder, 'foreign-ca').issue('foreign', { name })),
      misused: contextOf(authority.issue('misused', { name, use: 'serverAuth' })),
      none: createSecureContext(),
    },
  };
}

function contextOf({ certFile, keyFile }: TlsFileNames): SecureContext {
  return createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile) });
}

const STRANGERS = ['none', 'foreign', 'misused', 'limited'] as const;

const REFUSALS: { readonly [Name in Certificate]?: string } = {
  none: '"CLIENT_CERTIFICATE_REQUIRED"',
  foreign: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  misused: '"CLIENT_CERTIFICATE_UNTRUSTED"',
  limited: '"PERMISSION_DENIED"',
};

function told(certificate: Certificate): string {
  return certificate === 'none' ? 'no certificate' : `${certificate} certificate`;
}

const stranger = fc.constantFrom(...STRANGERS);
const SERVED = BASE_REQUESTS.filter(({ name }) => name !== 'health');
const someRequest = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...SERVED.filter((one) => !isOfOperators(one))) },
  { weight: 1, arbitrary: fc.constantFrom(...SERVED.filter(isOfOperators)) },
);

/** Everything that others send, from a caller who may do none of it. */
const hostile: fc.Arbitrary<FuzzCase> = fc
  .tuple(stranger, fc.boolean(), fc.oneof(requestCases, rawCases))
  .map(([certificate, isAdmin, one]) => ({
    ...one,
    ...{ kind: `callers: ${told(certificate)}, hostile`, way: 'https', certificate, isAdmin, isDenied: true },
    texts: [],
  }));

/** Valid requests are refused for who sends them. */
const valid: fc.Arbitrary<FuzzCase> = fc.tuple(stranger, someRequest).map(([certificate, request]) => ({
  ...validRequest(request),
  ...{ kind: `callers: ${told(certificate)}`, way: 'https', certificate, isDenied: true },
  isAdmin: isOfOperators(request),
  texts: [REFUSALS[certificate] ?? null],
}));

/** What one may do goes on. */
const allowed: fc.Arbitrary<FuzzCase> = fc.constant(
  fuzzCase({
    ...{ kind: 'callers: limited certificate, its account', way: 'https', certificate: 'limited' },
    writes: [postBytes('/api/v1/sign', { ...LIMITED_ACCOUNT, data: { text: 'limited' } })],
    ...{ ending: 'responses', least: 1, texts: ['"success":true'] },
  }),
);

/** Each listener has the paths of its own, whoever asks. */
const misplaced: fc.Arbitrary<FuzzCase> = someRequest.map((request) => ({
  ...validRequest(request),
  ...{ kind: 'callers: at the other listener', way: 'https' },
  isAdmin: !isOfOperators(request),
  texts: ['"NOT_FOUND"'],
}));

/** Callers over HTTPS with a certificate or without, and what they may not do. */
export const deniedCases: fc.Arbitrary<FuzzCase> = fc.oneof(
  { weight: 4, arbitrary: hostile },
  { weight: 3, arbitrary: valid },
  { weight: 1, arbitrary: allowed },
  { weight: 2, arbitrary: misplaced },
);

/**
 * The networks of proxies that the service over HTTP believes; the fuzzer calls from one of them.
 */
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

/**
 * A request that comes through proxies is served or refused for the last address that is none of
 * theirs, and the response is whole in either case.
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

const EXPIRATION_TIME = '2100-01-01T00:00:00Z';

/**
 * Whoever has a part in mutual authentication (docs/AUTHENTICATION.md): always the same, so that a
 * seed makes the same tokens.
 */
export const AUTHORITY = new TestKey(0xa1);
export const SERVICE = new TestKey(0x5e);
export const CLIENT = new TestKey(0xc1);

export const SERVICE_TOKEN = tokenOf('signing-service', SERVICE);
export const CLIENT_TOKEN = tokenOf(FUZZ_PRINCIPAL, CLIENT);

function tokenOf(username: string, { publicKey }: TestKey): Buffer {
  return issueToken(AUTHORITY, { username, publicKey, expirationTime: EXPIRATION_TIME });
}

const TARGET = '/api/v1/sign';
const BODY = Buffer.from(
  JSON.stringify({ platformId: 'texts', accountId: FUZZED_ACCOUNT, data: { text: 'authenticated' } }),
);
const REFUSED = '"UNAUTHENTICATED"';

const nonce = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
const way = fc.constantFrom('http', 'https' as const);

/**
 * Of a client whose clock is almost as far ahead as it may be: without Redis, nothing made in the
 * first 30 seconds is taken. Seconds.
 */
const AHEAD_S = 28;

/**
 * A RequestAuthInfo of now. The time alone is not the seed's: requests of yesterday are not taken.
 */
function messageOf(oneNonce: Buffer): Buffer {
  const time = Date.now() / 1000 + AHEAD_S;
  const claims = { token: CLIENT_TOKEN, servicePublicKey: SERVICE.publicKey, time, nonce: oneNonce };
  return signRequest(CLIENT, claims, { method: 'POST', target: TARGET, body: BODY });
}

function signed(header: string, target = TARGET, body = BODY): Buffer {
  const headers = [...jsonHeaders(body), `Signing-Request-Auth: ${header}`];
  return requestBytes({ method: 'POST', target, headers, body });
}

function signedCase(kind: string, requests: readonly Buffer[], texts: readonly string[]): FuzzCase {
  const count = requests.length;
  return fuzzCase({
    kind: `signed: ${kind}`,
    writes: [Buffer.concat(requests)],
    ...{ ending: 'responses', least: count, most: count, texts },
  });
}

/** Twice the same: once it is done, and then never again. */
const replayed = nonce.map((one) => {
  const request = signed(messageOf(one).toString('base64'));
  return signedCase('valid, then replayed', [request, request], ['"signature":"', '"REPLAYED"']);
});

/** There is one encoding of each message, and every bit of it is signed: no change is taken. */
const changedMessage = nonce.chain((one) => {
  const message = messageOf(one);
  return hostileBytes(message)
    .filter((changed) => !changed.equals(message))
    .map((changed) => signedCase('changed bytes', [signed(changed.toString('base64'))], [REFUSED]));
});

const TEXTS: readonly ((text: string) => string)[] = [
  (text) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/^./, '_'),
  (text) => `${text}=`,
  (text) => `${text}====`,
  (text) => `=${text}`,
  (text) => `${text}AAAA`,
  (text) => `${text.slice(0, 40)} ${text.slice(40)}`,
  (text) => `${text.slice(0, 41)}=${text.slice(41)}`,
  (text) => `${text.slice(0, 40)}\t${text.slice(40)}`,
  (text) => `${text},${text}`,
  (text) => `${text}\r\nSigning-Request-Auth: ${text}`,
  (text) => `${text.slice(0, -1)}`,
  (text) => Buffer.from(text, 'base64').toString('hex'),
  (text) => `"${text}"`,
  (text) => `Bearer ${text}`,
  (text) => text.repeat(3),
  () => '',
  () => '\xff'.repeat(100),
];

/** Nor is another text of the same bytes. */
const changedText = fc.tuple(nonce, fc.constantFrom(...TEXTS)).map(([one, change]) => {
  const text = messageOf(one).toString('base64');
  return signedCase('changed base64', [signed(change(text))], [REFUSED]);
});

/** Nor another request under the same message. */
const changedRequest = fc.tuple(nonce, fc.constantFrom('target', 'body', 'blank' as const)).map(([one, what]) => {
  const header = messageOf(one).toString('base64');
  const bodies = {
    target: BODY,
    body: Buffer.from(BODY.toString().replace('authent', 'Authent')),
    blank: Buffer.concat([BODY, Buffer.from(' ')]),
  };
  const request = signed(header, what === 'target' ? `${TARGET}?include=payload` : TARGET, bodies[what]);
  return signedCase('changed request', [request], [REFUSED]);
});

/** Requests with the messages of mutual authentication, right and wrong. */
export const authCases: fc.Arbitrary<FuzzCase> = fc
  .tuple(
    way,
    fc.oneof(
      { weight: 2, arbitrary: replayed },
      { weight: 4, arbitrary: changedMessage },
      { weight: 2, arbitrary: changedText },
      { weight: 2, arbitrary: changedRequest },
    ),
  )
  .map(([where, one]) => ({ ...one, way: where }));
