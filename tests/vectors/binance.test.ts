import { Buffer } from 'node:buffer';
import { createHmac, verify } from 'node:crypto';
import { expect } from 'chai';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import vectors from './binance.json' with { type: 'json' };

describe('Binance vectors', () => {
  for (const { id, params, payload, secret, signature } of vectors.query) {
    const data = { method: 'POST', endpoint: '/api/v3/order', params: Object.fromEntries(params) };
    const outcome = buildPayload(data, { rule: 'query', field: 'params' });

    it(`${id}: the query rule makes the published text`, () => {
      expect(outcome).to.have.nested.property('payload.text', payload);
    });

    if (secret === undefined) continue;

    it(`${id}: the bytes have the published HMAC`, () => {
      if (!outcome.ok) throw new Error(outcome.issue.message);
      expect(createHmac('sha256', secret).update(outcome.payload.bytes).digest('hex')).to.equal(signature);
    });
  }

  for (const { id, payload, publicKeyPem, signature } of vectors.raw) {
    it(`${id}: the raw rule gives the bytes that the published signature signs`, () => {
      const outcome = buildPayload({ text: payload }, { rule: 'raw' });
      if (!outcome.ok) throw new Error(outcome.issue.message);
      expect(verify(null, outcome.payload.bytes, publicKeyPem, Buffer.from(signature, 'base64'))).to.equal(true);
    });
  }
});
