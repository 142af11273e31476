import { expect } from 'chai';
import { verifyMessage } from 'ethers/hash';
import { computeAddress } from 'ethers/transaction';
import request from 'supertest';
import { canonicalize } from '../../harness/canonicalize.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { STARTED_AT } from '../../harness/running-service.ts';
import { DATA_A, DATA_A_FLAT, DATA_B, DATA_C, DATA_D } from '../../harness/sample-accounts.ts';
import { base58Bytes, type SignatureResult, verifiesEd25519 } from '../../harness/signature-checks.ts';
import { useService } from '../../harness/use-service.ts';
import { EIP_191_VECTORS } from '../../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../../vectors/rfc-8032.ts';

const RESULT_FIELDS = ['signature', 'algorithm', 'encoding', 'publicKey', 'signedAt'];

describe('POST /api/v1/sign', () => {
  const service = useService();

  const post = (body: object, path = '/api/v1/sign') => request(service.server).post(path).send(body);

  describe('returns a valid signature', () => {
    it('format A: Ed25519 over the canonical data, with exactly the fields of a signature result', async () => {
      const data = expectData<SignatureResult>(await post({ platformId: 'alpha', accountId: 'main', data: DATA_A }));
      expect(data).to.have.all.keys(RESULT_FIELDS);
      expect(data.algorithm).to.equal('ed25519');
      expect(data.encoding).to.equal('base58');
      expect(data.signedAt).to.equal(STARTED_AT);
      expect(base58Bytes(data.publicKey, 32).toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
      expect(verifiesEd25519(data.publicKey, canonicalize(DATA_A), data.signature)).to.equal(true);
      expect(verifiesEd25519(data.publicKey, canonicalize({ ...DATA_A, nonce: 1 }), data.signature)).to.equal(false);
    });

    it('format A, flat', async () => {
      const body = { platformId: 'alpha', accountId: 'main', data: DATA_A_FLAT };
      const data = expectData<SignatureResult>(await post(body));
      expect(verifiesEd25519(data.publicKey, canonicalize(DATA_A_FLAT), data.signature)).to.equal(true);
    });

    it('format B: EIP-191 over the canonical message, as 0x-hex', async () => {
      const data = expectData<SignatureResult>(await post({ platformId: 'beta', accountId: 'main', data: DATA_B }));
      expect(data).to.have.all.keys(RESULT_FIELDS);
      expect(data.algorithm).to.equal('eip191');
      expect(data.encoding).to.equal('0x-hex');
      expect(data.signature).to.match(/^0x[0-9a-f]{130}$/);
      expect(computeAddress(data.publicKey)).to.equal(EIP_191_VECTORS[0]?.address);
      expect(verifyMessage(canonicalize(DATA_B.message), data.signature)).to.equal(EIP_191_VECTORS[0]?.address);
    });

    it('format C: the parameters in request order', async () => {
      const data = expectData<SignatureResult>(await post({ platformId: 'gamma', accountId: 'main', data: DATA_C }));
      const message = 'symbol=BTCUSDT&side=SELL&type=LIMIT&quantity=0.5&price=64000.00&timestamp=1763628540123';
      expect(verifiesEd25519(data.publicKey, message, data.signature)).to.equal(true);
    });

    it('format D: timestamp, method, path and body', async () => {
      const data = expectData<SignatureResult>(await post({ platformId: 'delta', accountId: 'main', data: DATA_D }));
      const body = '{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}';
      const message = `2026-11-20T08:49:00.123ZPOST/api/v5/trade/order${body}`;
      expect(verifyMessage(message, data.signature)).to.equal(computeAddress(data.publicKey));
    });
  });

  it('accepts the media type with its charset in any notation', async () => {
    const parameters = ['', '; charset=utf-8', ';charset=UTF-8', '; charset=utf8', '; charset="UTF8"'];
    for (const type of ['Application/JSON', ...parameters.map((parameter) => `application/json${parameter}`)]) {
      const sent = request(service.server).post('/api/v1/sign').set('Content-Type', type);
      expectData(await sent.send(JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A })));
    }
  });

  describe('?include=payload', () => {
    it('returns the signed parts by name, the same of an object and its text', async () => {
      const body = JSON.stringify(DATA_D.body);
      const asObject = { platformId: 'delta', accountId: 'main', data: DATA_D };
      const ofObject = expectData<SignatureResult>(await post(asObject, '/api/v1/sign?include=payload'));
      expect(ofObject).to.have.all.keys([...RESULT_FIELDS, 'payload', 'payloadParts']);
      const { timestamp, method, path } = DATA_D;
      expect(ofObject).to.deep.include({ payloadParts: { timestamp, method, path, body } });
      const asText = { ...asObject, data: { ...DATA_D, body } };
      const ofText = expectData<SignatureResult>(await post(asText, '/api/v1/sign?include=payload'));
      expect(ofText.payload).to.equal(ofObject.payload);
      expect(ofText.payloadParts).to.deep.equal(ofObject.payloadParts);
    });

    it('adds the exact text that was signed', async () => {
      const body = { platformId: 'gamma', accountId: 'main', data: DATA_C };
      const data = expectData<SignatureResult>(await post(body, '/api/v1/sign?include=payload'));
      expect(data).to.have.all.keys([...RESULT_FIELDS, 'payload', 'payloadParts']);
      expect(data.payload)
        .to.be.a('string')
        .and.match(/^symbol=BTCUSDT&/);
      expect(verifiesEd25519(data.publicKey, String(data.payload), data.signature)).to.equal(true);
    });

    it('shows a member named constructor as sent, which changes no prototype', async () => {
      const known = Reflect.ownKeys(Object.prototype);
      const data = { ...DATA_A, constructor: { prototype: { polluted: 'yes' } } };
      const body = { platformId: 'alpha', accountId: 'main', data };
      const { payload } = expectData<SignatureResult>(await post(body, '/api/v1/sign?include=payload'));
      expect(payload).to.equal(canonicalize(data));
      expect(Reflect.ownKeys(Object.prototype)).to.deep.equal(known);
    });

    for (const [name, text] of [
      ['hex', 'C3A9'],
      ['base64', 'w6k='],
    ] as const) {
      it(`returns bytes sent as ${name} as ${name}`, async () => {
        const body = { platformId: 'verbatim', accountId: 'rfc8032-0', data: { [name]: text } };
        const data = expectData<SignatureResult>(await post(body, '/api/v1/sign?include=payload'));
        expect(data).to.have.all.keys([...RESULT_FIELDS, 'payload', 'payloadEncoding', 'payloadParts']);
        expect(data).to.include({ payload: text, payloadEncoding: name });
        expect(verifiesEd25519(data.publicKey, 'é', data.signature)).to.equal(true);
      });
    }

    for (const query of ['include=key', 'include=', 'include=payload&include=payload', 'include=Payload']) {
      it(`rejects ?${query}`, async () => {
        const response = await post({ platformId: 'alpha', accountId: 'main', data: DATA_A }, `/api/v1/sign?${query}`);
        expect(expectIssues(response)).to.deep.equal(['include']);
      });
    }
  });

  describe('checks in order', () => {
    const unsignable = { nonce: 'not a number' };

    it('the envelope before the platform', async () => {
      const response = await post({ platformId: 'nowhere', accountId: 7, data: DATA_A });
      expect(expectIssues(response)).to.deep.equal(['accountId']);
    });

    it('the platform before the account: 400 PLATFORM_NOT_SUPPORTED', async () => {
      const response = await post({ platformId: 'nowhere', accountId: 'nobody', data: unsignable });
      expect(expectError(response, 400, 'PLATFORM_NOT_SUPPORTED').details).to.deep.equal({ platformId: 'nowhere' });
    });

    it('the account before its data: 404 ACCOUNT_NOT_FOUND with both ids', async () => {
      const response = await post({ platformId: 'alpha', accountId: 'nobody', data: unsignable });
      const { details } = expectError(response, 404, 'ACCOUNT_NOT_FOUND');
      expect(details).to.deep.equal({ platformId: 'alpha', accountId: 'nobody' });
    });

    it('the status before the data: 423 ACCOUNT_INACTIVE', async () => {
      const response = await post({ platformId: 'alpha', accountId: 'idle', data: unsignable });
      expectError(response, 423, 'ACCOUNT_INACTIVE');
    });

    it('the data before the signature: 400 INVALID_DATA_FORMAT naming the field', async () => {
      const response = await post({ platformId: 'alpha', accountId: 'main', data: { ...DATA_A, nonce: '1' } });
      expect(expectIssues(response)).to.deep.equal(['data.nonce']);
    });

    it('a key that cannot be opened: 500 SIGNATURE_FAILED, with the cause only in the service log', async () => {
      service.keyStore.purge();
      const response = await post({ platformId: 'alpha', accountId: 'main', data: DATA_A });
      const { details } = expectError(response, 500, 'SIGNATURE_FAILED');
      expect(details).to.deep.equal({ platformId: 'alpha', accountId: 'main' });
      expect(response.text).not.to.include('purged');
      const [error] = service.log.events.filter(({ level }) => level === 'error');
      expect(String(error?.facts['cause'])).to.include('purged');
    });
  });
});
