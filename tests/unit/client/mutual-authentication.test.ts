import { expect } from 'chai';
import { MutualAuthentication } from '../../../src/client/mutual-authentication.ts';
import { AUTHORITY, CLIENT, CLIENT_TOKEN, SERVICE } from '../../api/authenticated-service.ts';
import { answerContent, issueToken, signRequest, TestKey } from '../../authentication/parties.ts';
import { bytesField, readBytesFields } from '../../authentication/wire.ts';

const REQUEST = { method: 'POST', target: '/api/v1/sign?include=payload', body: Buffer.from('{"a":"é"}') };
const ANSWER = { status: 200, body: Buffer.from('{"success":true,"data":{}}') };
const OPTIONS = {
  privateKey: CLIENT.seed.toString('hex'),
  token: CLIENT_TOKEN.toString('base64'),
  serviceKey: SERVICE.publicKey.toString('hex'),
  authorityKeys: [AUTHORITY.publicKey.toString('hex')],
};

/** Fields 1 to 5 of a RequestAuthInfo, of which the third is a double. */
function readRequest(header: string) {
  const message = Buffer.from(header, 'base64');
  const at = message.length - (8 + 1) - 18 - 66;
  const before = readBytesFields(message.subarray(0, at));
  const behind = readBytesFields(message.subarray(at + 9));
  expect(message[at]).to.equal(0x19);
  const [token, servicePublicKey] = [before.get(1), before.get(2)] as [Buffer, Buffer];
  return { message, token, servicePublicKey, time: message.readDoubleLE(at + 1), nonce: behind.get(4) as Buffer };
}

/** An answer to that request, as the service signs it. */
function answerTo(
  header: string,
  { key = SERVICE, expirationTime = '2099-01-01T00:00:00Z', authority = AUTHORITY } = {},
) {
  const { message, nonce } = readRequest(header);
  const token = issueToken(authority, { username: 'signing-service', publicKey: key.publicKey, expirationTime });
  const claims = Buffer.concat([bytesField(1, token), bytesField(2, nonce)]);
  const signature = key.sign(answerContent(claims, message, ANSWER));
  return { ...ANSWER, header: Buffer.concat([claims, bytesField(3, signature)]).toString('base64') };
}

describe('MutualAuthentication of the client', () => {
  const authentication = new MutualAuthentication(OPTIONS);

  it('sends the message that the document describes, signed, with a time of now and a nonce that is new', () => {
    const nonces = new Set<string>();
    for (let index = 0; index < 5; index += 1) {
      const before = Date.now() / 1000;
      const { header } = authentication.prove(REQUEST);
      const after = Date.now() / 1000;
      const { message, ...claims } = readRequest(header);
      expect(claims.token).to.deep.equal(CLIENT_TOKEN);
      expect(claims.servicePublicKey).to.deep.equal(SERVICE.publicKey);
      expect(claims.time).to.be.within(before, after);
      expect(claims.nonce).to.have.lengthOf(16);
      nonces.add(claims.nonce.toString('hex'));
      // Ed25519 is deterministic: another implementation writes the same bytes.
      expect(signRequest(CLIENT, claims, REQUEST).toString('base64')).to.equal(message.toString('base64'));
    }
    expect(nonces.size).to.equal(5);
  });

  it('believes the answer that the service signed', () => {
    const { header, faultOf } = authentication.prove(REQUEST);
    expect(faultOf(answerTo(header))).to.equal(null);
  });

  it('believes no token that has expired, or says no time', () => {
    const { header, faultOf } = authentication.prove(REQUEST);
    for (const expirationTime of ['2020-01-01T00:00:00Z', new Date().toISOString(), 'never']) {
      expect(faultOf(answerTo(header, { expirationTime }))).to.equal('TOKEN_EXPIRED');
    }
  });

  it('believes no other service of the same authority, and no authority that it does not know', () => {
    const { header, faultOf } = authentication.prove(REQUEST);
    expect(faultOf(answerTo(header, { key: CLIENT }))).to.equal('WRONG_SERVICE');
    expect(faultOf(answerTo(header, { authority: new TestKey(3) }))).to.equal('UNKNOWN_AUTHORITY');
  });

  it('believes no other status, body or request', () => {
    const { header, faultOf } = authentication.prove(REQUEST);
    const right = answerTo(header);
    expect(faultOf({ ...right, status: 400 })).to.equal('INVALID_SIGNATURE');
    expect(faultOf({ ...right, body: Buffer.from('{}') })).to.equal('INVALID_SIGNATURE');
    // The same nonce in the request of somebody else with a token.
    const another = readRequest(header);
    const stolen = signRequest(new TestKey(9), { ...another, time: another.time + 1 }, REQUEST);
    expect(faultOf(answerTo(stolen.toString('base64')))).to.equal('INVALID_SIGNATURE');
    const next = authentication.prove(REQUEST);
    expect(next.faultOf(right)).to.equal('WRONG_NONCE');
    expect(faultOf({ ...right, header: undefined })).to.equal('UNSIGNED');
  });
});
