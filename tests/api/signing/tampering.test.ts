import { expect } from 'chai';
import {
  findResponseIssue,
  issueToken,
  requestFields,
  signRequest,
  TestKey,
  type TestResponse,
} from '../../authentication/parties.ts';
import { bytesField, doubleField, varint } from '../../authentication/wire.ts';
import {
  AUTHORITY,
  CLIENT,
  CLIENT_TOKEN,
  clientClaims,
  EXPIRATION_TIME,
  exchange,
  SERVICE,
  SERVICE_TOKEN,
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

  const cases: readonly [title: string, reason: string, make: () => Sending][] = [
    ['another method', 'INVALID_SIGNATURE', () => ({ header: altered((all) => all), method: 'PUT' })],
    ['another path', 'INVALID_SIGNATURE', () => ({ header: altered((all) => all), target: '/api/v1/verify' })],
    [
      'another query',
      'INVALID_SIGNATURE',
      () => ({ header: altered((all) => all), target: '/api/v1/sign?include=payload' }),
    ],
    [
      'another body',
      'INVALID_SIGNATURE',
      () => ({ header: altered((all) => all), body: REQUEST.body.replace('"10"', '"11"') }),
    ],
    ['no body', 'INVALID_SIGNATURE', () => ({ header: altered((all) => all), body: '' })],
    [
      'another username',
      'UNKNOWN_AUTHORITY',
      () => ({ header: altered((all) => flipped(all, all.indexOf('desk-1') + 5)) }),
    ],
    [
      'another public key in the token',
      'UNKNOWN_AUTHORITY',
      () => ({ header: altered((all) => flipped(all, all.indexOf(CLIENT.publicKey))) }),
    ],
    [
      'a later expiry of the token',
      'UNKNOWN_AUTHORITY',
      () => ({ header: altered((all) => flipped(all, all.indexOf('2027-01-01') + 3)) }),
    ],
    [
      'another signature of the authority',
      'UNKNOWN_AUTHORITY',
      () => ({ header: altered((all) => flipped(all, all.indexOf(CLIENT_TOKEN.subarray(-8)))) }),
    ],
    [
      'another service',
      'WRONG_SERVICE',
      () => ({ header: altered((all) => flipped(all, all.indexOf(SERVICE.publicKey))) }),
    ],
    [
      'another time',
      'INVALID_SIGNATURE',
      () => ({ header: altered((all) => flipped(all, all.indexOf(SERVICE.publicKey) + 33 + 2)) }),
    ],
    ['another nonce', 'INVALID_SIGNATURE', () => ({ header: altered((all) => flipped(all, all.length - 67)) })],
    ['another signature', 'INVALID_SIGNATURE', () => ({ header: altered((all) => flipped(all, all.length - 1)) })],
    ["another client's key", 'INVALID_SIGNATURE', () => ({ key: OTHER })],
    [
      "another client's token",
      'INVALID_SIGNATURE',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ publicKey: OTHER.publicKey }) }) }),
    ],
    ["the service's own token", 'INVALID_SIGNATURE', () => ({ claims: clientClaims(now(), { token: SERVICE_TOKEN }) })],
    [
      'a token of another authority',
      'UNKNOWN_AUTHORITY',
      () => ({ claims: clientClaims(now(), { token: tokenOf({}, OTHER) }) }),
    ],
    [
      'a token that its bearer signed',
      'UNKNOWN_AUTHORITY',
      () => ({ claims: clientClaims(now(), { token: tokenOf({}, CLIENT) }) }),
    ],
    [
      'a public key of small order, even in a token that the authority signed',
      'INVALID_SIGNATURE',
      () => {
        const claims = clientClaims(now(), { token: tokenOf({ publicKey: SMALL_ORDER }) });
        return { header: Buffer.concat([requestFields(claims), bytesField(5, EMPTY_SIGNATURE)]).toString('base64') };
      },
    ],
    [
      'a request for another service',
      'WRONG_SERVICE',
      () => ({ claims: clientClaims(now(), { servicePublicKey: OTHER.publicKey }) }),
    ],
    [
      'a token that has expired',
      'TOKEN_EXPIRED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ expirationTime: '2026-11-20T08:49:01Z' }) }) }),
    ],
    [
      'a time 31 seconds ago',
      'TIME_OUT_OF_WINDOW',
      () => ({ claims: clientClaims(now(), { time: now() / 1000 - 31 }) }),
    ],
    [
      'a time in 31 seconds',
      'TIME_OUT_OF_WINDOW',
      () => ({ claims: clientClaims(now(), { time: now() / 1000 + 31 }) }),
    ],
    [
      'a time before the service was started',
      'TIME_OUT_OF_WINDOW',
      () => ({ claims: clientClaims(now(), { time: now() / 1000 - 2 }) }),
    ],
    ['a time that is no number', 'MALFORMED', () => ({ claims: clientClaims(now(), { time: Number.NaN }) })],
    ['an infinite time', 'MALFORMED', () => ({ claims: clientClaims(now(), { time: Number.POSITIVE_INFINITY }) })],
    ['a nonce of 15 bytes', 'MALFORMED', () => ({ claims: clientClaims(now(), { nonce: Buffer.alloc(15, 1) }) })],
    ['a nonce of 65 bytes', 'MALFORMED', () => ({ claims: clientClaims(now(), { nonce: Buffer.alloc(65, 1) }) })],
    [
      'a public key of 31 bytes',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ publicKey: CLIENT.publicKey.subarray(1) }) }) }),
    ],
    [
      'an invalid username',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ username: 'desk*' }) }) }),
    ],
    [
      'the username of those who have none',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ username: 'anonymous' }) }) }),
    ],
    [
      'a username with a control character',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ username: 'desk\n1' }) }) }),
    ],
    [
      'an end with an offset',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ expirationTime: '2027-01-01T00:00:00+00:00' }) }) }),
    ],
    [
      'an end on a day that does not exist',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: tokenOf({ expirationTime: '2027-02-30T00:00:00Z' }) }) }),
    ],
    [
      'no token',
      'MALFORMED',
      () => ({ header: withFields([requestFields(clientClaims(now(), { token: Buffer.alloc(0) }))]) }),
    ],
    ['an unknown field', 'MALFORMED', () => ({ header: altered((all) => Buffer.concat([all, bytesField(6, 'x')])) })],
    [
      'an unknown field in the token',
      'MALFORMED',
      () => ({ claims: clientClaims(now(), { token: Buffer.concat([CLIENT_TOKEN, bytesField(9, 'x')]) }) }),
    ],
    ['a field twice', 'MALFORMED', () => ({ header: altered((all) => Buffer.concat([all, all.subarray(-66)])) })],
    [
      'the signature in front',
      'MALFORMED',
      () => ({ header: altered((all) => Buffer.concat([all.subarray(-66), all.subarray(0, -66)])) }),
    ],
    [
      'a length in more bytes than it needs',
      'MALFORMED',
      () => ({
        header: altered((all) => Buffer.concat([all.subarray(0, -65), Buffer.from([0xc0, 0x00]), all.subarray(-64)])),
      }),
    ],
    [
      'fields in another order',
      'MALFORMED',
      () => {
        const { token, servicePublicKey, time, nonce } = clientClaims(now());
        return {
          header: withFields([
            bytesField(2, servicePublicKey),
            bytesField(1, token),
            doubleField(3, time),
            bytesField(4, nonce),
          ]),
        };
      },
    ],
    [
      'a field of another type',
      'MALFORMED',
      () => ({ header: withFields([requestFields(clientClaims(now())), varint(5 * 8), varint(7)]) }),
    ],
    ['the last byte missing', 'MALFORMED', () => ({ header: altered((all) => all.subarray(0, -1)) })],
    ['one byte more', 'MALFORMED', () => ({ header: altered((all) => Buffer.concat([all, Buffer.alloc(1)])) })],
    ['the alphabet for URLs', 'MALFORMED', () => ({ header: altered((all) => all).replace(/[+/A]/, '-') })],
    ['no padding', 'MALFORMED', () => ({ header: 'QQ' })],
    ['nothing in the header', 'MALFORMED', () => ({ header: '' })],
    ['the header twice', 'MALFORMED', () => ({ header: `${altered((all) => all)}, ${altered((all) => all)}` })],
    ['a header of 3000 characters', 'MALFORMED', () => ({ header: 'A'.repeat(3000) })],
  ];

  for (const [title, reason, make] of cases) {
    it(`is rejected: ${title} (${reason})`, async () => {
      const response = await exchange(service, { ...REQUEST, ...make() });
      expect(response.json.error.code).to.equal('UNAUTHENTICATED');
      expect(response.status).to.equal(401);
      expect(response.json.error.details.reason).to.equal(reason);
      expect(response.headers.get('WWW-Authenticate')).to.equal('Signing-Request-Auth');
      expect(response.issue).to.equal('not signed');
    });
  }

  it('gets the server time if its time is outside the window', async () => {
    const response = await exchange(service, { ...REQUEST, claims: clientClaims(now(), { time: now() / 1000 - 31 }) });
    expect(response.json.error.details.serverTime).to.equal(now() / 1000);
  });

  it('is rejected as a replay', async () => {
    const claims = clientClaims(now());
    expect((await exchange(service, { ...REQUEST, claims })).status).to.equal(200);
    const again = await exchange(service, { ...REQUEST, claims });
    expect(again.status).to.equal(401);
    expect(again.json.error.details.reason).to.equal('REPLAYED');
  });

  it('is rejected if its nonce was used for another request of the client', async () => {
    const claims = clientClaims(now());
    await exchange(service, { claims });
    const other = await exchange(service, { ...REQUEST, claims: { ...claims, time: claims.time + 1 } });
    expect(other.json.error.details.reason).to.equal('REPLAYED');
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

  it('is detected: another body', () => {
    expect(findResponseIssue(message, nonce, { ...response, body: `${response.body} ` }, trust)).to.equal(
      'wrong signature',
    );
  });

  it('is detected: another status', () => {
    expect(findResponseIssue(message, nonce, { ...response, status: 201 }, trust)).to.equal('wrong signature');
  });

  it('is detected: another signature', () => {
    const other = header((all) => flipped(all, all.length - 1));
    expect(findResponseIssue(message, nonce, other, trust)).to.equal('wrong signature');
  });

  it('is detected: another nonce', () => {
    const other = header((all) => flipped(all, all.indexOf(nonce)));
    expect(findResponseIssue(message, nonce, other, trust)).to.equal('another nonce');
  });

  it('is detected: the response to another request, even with the same nonce', () => {
    const other = signRequest(CLIENT, clientClaims(service.clock.now() + 1, { nonce }), REQUEST);
    expect(findResponseIssue(other, nonce, response, trust)).to.equal('wrong signature');
  });

  it('is detected: another service', () => {
    const requested = { ...trust, servicePublicKey: OTHER.publicKey };
    expect(findResponseIssue(message, nonce, response, requested)).to.equal('another service');
  });

  it('is detected: a client with a token of the same authority that poses as the service', () => {
    const forged = header((all) => Buffer.concat([bytesField(1, CLIENT_TOKEN), all.subarray(all.indexOf(nonce) - 2)]));
    expect(findResponseIssue(message, nonce, forged, trust)).to.equal('another service');
  });

  it('is detected: a service whose token another authority signed', () => {
    expect(findResponseIssue(message, nonce, response, { ...trust, authority: OTHER.publicKey })).to.equal(
      'token of nobody',
    );
  });

  it('is detected: a service whose token has expired', () => {
    const late = { ...trust, now: Date.parse(EXPIRATION_TIME) };
    expect(findResponseIssue(message, nonce, response, late)).to.equal('expired');
  });
});
