import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import fc from 'fast-check';
import type { TlsFileNames } from '../../src/adapters/http/tls/tls-files.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import { issueToken, signRequest, TestKey } from '../authentication/parties.ts';
import { Authority } from '../harness/test-authority.ts';
import { BASE_REQUESTS, FUZZED_ACCOUNT, isOperatorRequest } from './base-requests.ts';
import { type Certificate, type FuzzCase, fuzzCase, jsonHeaders, postBytes, requestBytes } from './fuzz-case.ts';
import { hostileBytes } from './hostile-input.ts';
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

/** Each listener serves only its own paths. */
const misplaced: fc.Arbitrary<FuzzCase> = someRequest.map((request) => ({
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

const EXPIRATION_TIME = '2100-01-01T00:00:00Z';

/**
 * Fixed keys of mutual authentication (docs/callers/authentication.md), so that a seed gives the
 * same tokens.
 */
export const AUTHORITY = new TestKey(0xa1);
export const SERVICE = new TestKey(0x5e);
export const CLIENT = new TestKey(0xc1);

export const SERVICE_TOKEN = createToken('signing-service', SERVICE);
export const CLIENT_TOKEN = createToken(FUZZ_PRINCIPAL, CLIENT);

function createToken(username: string, { publicKey }: TestKey): Buffer {
  return issueToken(AUTHORITY, { username, publicKey, expirationTime: EXPIRATION_TIME });
}

const TARGET = '/api/v1/sign';
const BODY = Buffer.from(
  JSON.stringify({ platformId: 'texts', accountId: FUZZED_ACCOUNT, data: { text: 'authenticated' } }),
);
const REFUSED = '"UNAUTHENTICATED"';

const nonce = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes));
const way = fc.constantFrom('http', 'https' as const);

/** Client clock ahead, seconds: without Redis, requests from the first 30 seconds are refused. */
const AHEAD_S = 28;

/** A current RequestAuthInfo; only its time does not depend on the seed. */
function createMessage(oneNonce: Buffer): Buffer {
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

/** Sent twice: executed at most once. */
const replayed = nonce.map((one) => {
  const request = signed(createMessage(one).toString('base64'));
  return signedCase('valid, then replayed', [request, request], ['"signature":"', '"REPLAYED"']);
});

/** Any change to the canonical, signed message is rejected. */
const changedMessage = nonce.chain((one) => {
  const message = createMessage(one);
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

/** So is another base64 text of the same bytes. */
const changedText = fc.tuple(nonce, fc.constantFrom(...TEXTS)).map(([one, change]) => {
  const text = createMessage(one).toString('base64');
  return signedCase('changed base64', [signed(change(text))], [REFUSED]);
});

/** So is another request under the same message. */
const changedRequest = fc.tuple(nonce, fc.constantFrom('target', 'body', 'blank' as const)).map(([one, what]) => {
  const header = createMessage(one).toString('base64');
  const bodies = {
    target: BODY,
    body: Buffer.from(BODY.toString().replace('authent', 'Authent')),
    blank: Buffer.concat([BODY, Buffer.from(' ')]),
  };
  const request = signed(header, what === 'target' ? `${TARGET}?include=payload` : TARGET, bodies[what]);
  return signedCase('changed request', [request], [REFUSED]);
});

/** Requests with valid and invalid messages of mutual authentication. */
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
