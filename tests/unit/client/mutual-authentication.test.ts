import { expect } from 'chai';
import { MutualAuthentication } from '../../../src/client/mutual-authentication.ts';
import { getResponseContent, issueToken, signRequest, TestKey } from '../../authentication/parties.ts';
import { bytesField, readBytesFields } from '../../authentication/wire.ts';
import { AUTHORITY, CLIENT, CLIENT_TOKEN, SERVICE } from '../../harness/authenticated-service.ts';

const REQUEST = { method: 'POST', target: '/api/v1/sign?include=payload', body: Buffer.from('{"a":"é"}') };
const RESPONSE = { status: 200, body: Buffer.from('{"success":true,"data":{}}') };
const OPTIONS = {
  privateKey: CLIENT.seed.toString('hex'),
  token: CLIENT_TOKEN.toString('base64'),
  serviceKey: SERVICE.publicKey.toString('hex'),
  authorityKeys: [AUTHORITY.publicKey.toString('hex')],
};

/** Decodes a RequestAuthInfo, whose third field is a double. */
function readRequest(header: string) {
  const message = Buffer.from(header, 'base64');
  const at = message.length - (8 + 1) - 18 - 66;
  const before = readBytesFields(message.subarray(0, at));
  const behind = readBytesFields(message.subarray(at + 9));
  expect(message[at]).to.equal(0x19);
  const [token, servicePublicKey] = [before.get(1), before.get(2)] as [Buffer, Buffer];
  return { message, token, servicePublicKey, time: message.readDoubleLE(at + 1), nonce: behind.get(4) as Buffer };
}

/** The service's signed response. */
function responseTo(
  header: string,
  { key = SERVICE, expirationTime = '2099-01-01T00:00:00Z', authority = AUTHORITY } = {},
) {
  const { message, nonce } = readRequest(header);
  const token = issueToken(authority, { username: 'signing-service', publicKey: key.publicKey, expirationTime });
  const claims = Buffer.concat([bytesField(1, token), bytesField(2, nonce)]);
  const signature = key.sign(getResponseContent(claims, message, RESPONSE));
  return { ...RESPONSE, header: Buffer.concat([claims, bytesField(3, signature)]).toString('base64') };
}

describe('MutualAuthentication', () => {
  const authentication = new MutualAuthentication(OPTIONS);

  it('signs requests with the current time and a new nonce', () => {
    const nonces = new Set<string>();
    for (let index = 0; index < 5; index += 1) {
      const before = Date.now() / 1000;
      const { header } = authentication.signRequest(REQUEST);
      const after = Date.now() / 1000;
      const { message, ...claims } = readRequest(header);
      expect(claims.token).to.deep.equal(CLIENT_TOKEN);
      expect(claims.servicePublicKey).to.deep.equal(SERVICE.publicKey);
      expect(claims.time).to.be.within(before, after);
      expect(claims.nonce).to.have.lengthOf(16);
      nonces.add(claims.nonce.toString('hex'));
      // Ed25519 is deterministic, so another implementation gives the same bytes.
      expect(signRequest(CLIENT, claims, REQUEST).toString('base64')).to.equal(message.toString('base64'));
    }
    expect(nonces.size).to.equal(5);
  });

  it("trusts the service's signed response", () => {
    const { header, verifyResponse } = authentication.signRequest(REQUEST);
    expect(verifyResponse(responseTo(header))).to.equal(null);
  });

  it('rejects a token that is expired or has an invalid expiration time', () => {
    const { header, verifyResponse } = authentication.signRequest(REQUEST);
    for (const expirationTime of ['2020-01-01T00:00:00Z', new Date().toISOString(), 'never']) {
      expect(verifyResponse(responseTo(header, { expirationTime }))).to.equal('TOKEN_EXPIRED');
    }
  });

  it('rejects another service and an unknown authority', () => {
    const { header, verifyResponse } = authentication.signRequest(REQUEST);
    expect(verifyResponse(responseTo(header, { key: CLIENT }))).to.equal('WRONG_SERVICE');
    expect(verifyResponse(responseTo(header, { authority: new TestKey(3) }))).to.equal('UNKNOWN_AUTHORITY');
  });

  it('rejects another status, body or request', () => {
    const { header, verifyResponse } = authentication.signRequest(REQUEST);
    const right = responseTo(header);
    expect(verifyResponse({ ...right, status: 400 })).to.equal('INVALID_SIGNATURE');
    expect(verifyResponse({ ...right, body: Buffer.from('{}') })).to.equal('INVALID_SIGNATURE');
    // Another client reuses the nonce.
    const another = readRequest(header);
    const stolen = signRequest(new TestKey(9), { ...another, time: another.time + 1 }, REQUEST);
    expect(verifyResponse(responseTo(stolen.toString('base64')))).to.equal('INVALID_SIGNATURE');
    const next = authentication.signRequest(REQUEST);
    expect(next.verifyResponse(right)).to.equal('WRONG_NONCE');
    expect(verifyResponse({ ...right, header: undefined })).to.equal('UNSIGNED');
  });
});
