import fc from 'fast-check';
import { signRequest } from '../../tests/authentication/parties.ts';
import { CLIENT, CLIENT_TOKEN, SERVICE } from './auth-parties.ts';
import { FUZZED_ACCOUNT } from './base-requests.ts';
import { type FuzzCase, fuzzCase } from './fuzz-case.ts';
import { hostileBytes } from './hostile-bytes.ts';
import { jsonHeaders, requestBytes } from './http-text.ts';

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

/** A RequestAuthInfo of now. The time alone is not the seed's: requests of yesterday are not taken. */
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
    ...{ ending: 'answers', least: count, most: count, texts },
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
