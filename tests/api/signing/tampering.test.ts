import { expect } from 'chai';
import {
  findResponseIssue,
  issueToken,
  requestFields,
  signRequest,
  type TestClaims,
  TestKey,
  type TestResponse,
} from '../../authentication/parties.ts';
import { bytesField, doubleField } from '../../authentication/wire.ts';
import {
  AUTHORITY,
  CLIENT,
  CLIENT_TOKEN,
  clientClaims,
  EXPIRATION_TIME,
  exchange,
  SERVICE,
  type Sending,
  startAuthenticatedService,
} from '../../harness/authenticated-service.ts';
import type { RunningService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';

const OTHER = new TestKey(0x07);
const REQUEST = {
  method: 'POST',
  target: '/api/v1/sign',
  body: JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }),
};

/** A small-order key accepts a signature for every message (https://eprint.iacr.org/2020/1244). */
const SMALL_ORDER = Buffer.from(`01${'00'.repeat(31)}`, 'hex');

/** Scalar 0 and the neutral element: valid under {@link SMALL_ORDER} without an order check. */
const EMPTY_SIGNATURE = Buffer.from(`01${'00'.repeat(63)}`, 'hex');

/** Flips one bit. */
function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
}

describe('A tampered request', () => {
  let service: RunningService;
  before(async () => {
    service = await startAuthenticatedService();
  });
  beforeEach(() => service.forget());
  after(() => service.close());

  const now = () => service.clock.now();
  const tokenOf = (given: object, authority = AUTHORITY) =>
    issueToken(authority, {
      username: 'desk-1',
      publicKey: CLIENT.publicKey,
      expirationTime: EXPIRATION_TIME,
      ...given,
    });
  /** A valid header, altered. */
  const altered = (alter: (message: Buffer) => Buffer): string =>
    alter(signRequest(CLIENT, clientClaims(now()), REQUEST)).toString('base64');
  /** A valid header with fields before the signature. */
  const withFields = (fields: readonly Buffer[]): string => {
    const message = Buffer.concat(fields);
    return Buffer.concat([message, bytesField(5, CLIENT.sign(message))]).toString('base64');
  };

  /** A valid header of {@link REQUEST}. */
  const valid = () => altered((all) => all);
  const flippedAt = (find: (all: Buffer) => number) => ({ header: altered((all) => flipped(all, find(all))) });
  const withClaims = (given: Partial<TestClaims>) => ({ claims: clientClaims(now(), given) });
  const withToken = (given: object, authority = AUTHORITY) => withClaims({ token: tokenOf(given, authority) });

  const cases: { readonly [reason: string]: { readonly [title: string]: () => Sending } } = {
    INVALID_SIGNATURE: {
      'another method': () => ({ header: valid(), method: 'PUT' }),
      'another path': () => ({ header: valid(), target: '/api/v1/verify' }),
      'another query': () => ({ header: valid(), target: '/api/v1/sign?include=payload' }),
      'another body': () => ({ header: valid(), body: REQUEST.body.replace('"10"', '"11"') }),
      'no body': () => ({ header: valid(), body: '' }),
      'another time': () => flippedAt((all) => all.indexOf(SERVICE.publicKey) + 33 + 2),
      'another nonce': () => flippedAt(({ length }) => length - 67),
      'another signature': () => flippedAt(({ length }) => length - 1),
      "another client's key": () => ({ key: OTHER }),
      "another client's token": () => withToken({ publicKey: OTHER.publicKey }),
      'a public key of small order, even in a token that the authority signed': () => {
        const fields = requestFields(clientClaims(now(), { token: tokenOf({ publicKey: SMALL_ORDER }) }));
        return { header: Buffer.concat([fields, bytesField(5, EMPTY_SIGNATURE)]).toString('base64') };
      },
    },
    UNKNOWN_AUTHORITY: {
      'another username': () => flippedAt((all) => all.indexOf('desk-1') + 5),
      'another public key in the token': () => flippedAt((all) => all.indexOf(CLIENT.publicKey)),
      'a later expiry of the token': () => flippedAt((all) => all.indexOf('2027-01-01') + 3),
      'another signature of the authority': () => flippedAt((all) => all.indexOf(CLIENT_TOKEN.subarray(-8))),
      'a token of another authority': () => withToken({}, OTHER),
      'a token that its bearer signed': () => withToken({}, CLIENT),
    },
    WRONG_SERVICE: {
      'another service': () => flippedAt((all) => all.indexOf(SERVICE.publicKey)),
      'a request for another service': () => withClaims({ servicePublicKey: OTHER.publicKey }),
    },
    TOKEN_EXPIRED: { 'a token that has expired': () => withToken({ expirationTime: '2026-11-20T08:49:01Z' }) },
    TIME_OUT_OF_WINDOW: {
      'a time 31 seconds ago': () => withClaims({ time: now() / 1000 - 31 }),
      'a time in 31 seconds': () => withClaims({ time: now() / 1000 + 31 }),
      'a time before the service was started': () => withClaims({ time: now() / 1000 - 2 }),
    },
    MALFORMED: {
      'a time that is no number': () => withClaims({ time: Number.NaN }),
      'a nonce of 15 bytes': () => withClaims({ nonce: Buffer.alloc(15, 1) }),
      'a nonce of 65 bytes': () => withClaims({ nonce: Buffer.alloc(65, 1) }),
      'an invalid username': () => withToken({ username: 'desk*' }),
      'the username of those who have none': () => withToken({ username: 'anonymous' }),
      'an end with an offset': () => withToken({ expirationTime: '2027-01-01T00:00:00+00:00' }),
      'no token': () => ({ header: withFields([requestFields(clientClaims(now(), { token: Buffer.alloc(0) }))]) }),
      'an unknown field': () => ({ header: altered((all) => Buffer.concat([all, bytesField(6, 'x')])) }),
      'a field twice': () => ({ header: altered((all) => Buffer.concat([all, all.subarray(-66)])) }),
      'a length in more bytes than it needs': () => ({
        header: altered((all) => Buffer.concat([all.subarray(0, -65), Buffer.from([0xc0, 0x00]), all.subarray(-64)])),
      }),
      'fields in another order': () => {
        const { token, servicePublicKey, time, nonce } = clientClaims(now());
        const first = [bytesField(2, servicePublicKey), bytesField(1, token)];
        return { header: withFields([...first, doubleField(3, time), bytesField(4, nonce)]) };
      },
      'the alphabet for URLs': () => ({ header: valid().replace(/[+/A]/, '-') }),
      'the header twice': () => ({ header: `${valid()}, ${valid()}` }),
      'a header of 3000 characters': () => ({ header: 'A'.repeat(3000) }),
    },
  };

  for (const [reason, changes] of Object.entries(cases)) {
    for (const [title, change] of Object.entries(changes)) {
      it(`is rejected: ${title} (${reason})`, async () => {
        const response = await exchange(service, { ...REQUEST, ...change() });
        expect(response.json.error.code).to.equal('UNAUTHENTICATED');
        expect(response.status).to.equal(401);
        expect(response.json.error.details.reason).to.equal(reason);
        expect(response.headers.get('WWW-Authenticate')).to.equal('Signing-Request-Auth');
        expect(response.issue).to.equal('not signed');
      });
    }
  }

  it('gets the server time if its time is outside the window', async () => {
    const response = await exchange(service, { ...REQUEST, claims: clientClaims(now(), { time: now() / 1000 - 31 }) });
    expect(response.json.error.details.serverTime).to.equal(now() / 1000);
  });

  it('is rejected as a replay, also if its nonce was used for another request of the client', async () => {
    const claims = clientClaims(now());
    expect((await exchange(service, { ...REQUEST, claims })).status).to.equal(200);
    for (const again of [{ ...REQUEST, claims }, { claims: { ...claims, time: claims.time + 1 } }]) {
      const { status, json } = await exchange(service, again);
      expect([status, json.error.details.reason]).to.deep.equal([401, 'REPLAYED']);
    }
  });

  it('is rejected if its token signature is invalid, even if the token was accepted before', async () => {
    expect((await exchange(service, REQUEST)).status).to.equal(200);
    // Only the authority's signature is wrong: the client signs the token as sent.
    const forged = clientClaims(now(), { token: flipped(CLIENT_TOKEN, CLIENT_TOKEN.length - 64) });
    const response = await exchange(service, { ...REQUEST, claims: forged });
    expect(response.status).to.equal(401);
    expect(response.json.error.details.reason).to.equal('UNKNOWN_AUTHORITY');
    expect((await exchange(service, REQUEST)).status).to.equal(200);
  });

  it('does not consume a nonce: neither its own, nor that of another client', async () => {
    const claims = clientClaims(now());
    await exchange(service, { ...REQUEST, claims, key: OTHER });
    const token = issueToken(AUTHORITY, {
      username: 'desk-2',
      publicKey: OTHER.publicKey,
      expirationTime: EXPIRATION_TIME,
    });
    const others = await exchange(service, { ...REQUEST, claims: { ...claims, token }, key: OTHER });
    expect(others.status).to.equal(200);
    expect((await exchange(service, { ...REQUEST, claims })).status).to.equal(200);
  });

  it('is accepted if it is the longest valid message (256-character username, 64-byte nonce)', async () => {
    const token = tokenOf({ username: 'x'.repeat(256), expirationTime: EXPIRATION_TIME.replace('Z', '.000Z') });
    const claims = clientClaims(now(), { token, nonce: Buffer.alloc(64, 1) });
    const response = await exchange(service, { ...REQUEST, claims });
    expect([response.status, response.issue]).to.deep.equal([200, null]);
  });

  it('is accepted if only its time is 30 seconds off, in either direction', async () => {
    service.clock.advance(60_000);
    for (const difference of [-30, 30]) {
      const claims = clientClaims(now(), { time: now() / 1000 + difference });
      expect((await exchange(service, { ...REQUEST, claims })).status).to.equal(200);
    }
  });
});

describe('A tampered response', () => {
  const trust = { authority: AUTHORITY.publicKey, servicePublicKey: SERVICE.publicKey, now: 0 };
  let service: RunningService;
  let message: Buffer;
  let nonce: Buffer;
  let response: TestResponse & { readonly header: string };

  before(async () => {
    service = await startAuthenticatedService();
    const claims = clientClaims(service.clock.now());
    message = signRequest(CLIENT, claims, REQUEST);
    nonce = claims.nonce;
    const { status, text, headers } = await exchange(service, { ...REQUEST, claims });
    response = { status, body: text, header: headers.get('Signing-Response-Auth') ?? '' };
    expect(findResponseIssue(message, nonce, response, trust)).to.equal(null);
  });
  after(() => service.close());

  const header = (alter: (all: Buffer) => Buffer) => ({
    ...response,
    header: alter(Buffer.from(response.header, 'base64')).toString('base64'),
  });

  it('is detected: another body, status, signature or nonce', () => {
    const issueOf = (other: TestResponse) => findResponseIssue(message, nonce, other, trust);
    expect(issueOf({ ...response, body: `${response.body} ` })).to.equal('wrong signature');
    expect(issueOf({ ...response, status: 201 })).to.equal('wrong signature');
    expect(issueOf(header((all) => flipped(all, all.length - 1)))).to.equal('wrong signature');
    expect(issueOf(header((all) => flipped(all, all.indexOf(nonce))))).to.equal('another nonce');
  });

  it('is detected: the response to another request, even with the same nonce', () => {
    const other = signRequest(CLIENT, clientClaims(service.clock.now() + 1, { nonce }), REQUEST);
    expect(findResponseIssue(other, nonce, response, trust)).to.equal('wrong signature');
  });
});
