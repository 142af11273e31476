import { Buffer } from 'node:buffer';
import { createHmac, verify } from 'node:crypto';
import { expect } from 'chai';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import vectors from './binance.json' with { type: 'json' };

const CONTEXT = payloadContext();

const WEB_SOCKET_RULE = { rule: 'query', field: 'params', sort: true, encode: 'none' } as const;

describe('Binance vectors', () => {
  for (const { id, params, payload, secret, signature } of vectors.query) {
    const data = { method: 'POST', endpoint: '/api/v3/order', params: Object.fromEntries(params) };
    const outcome = buildPayload(data, { rule: 'query', field: 'params' }, CONTEXT);

    it(`${id}: rule query gives the published text`, () => {
      expect(outcome).to.have.nested.property('value.text', payload);
    });

    if (secret === undefined) continue;

    it(`${id}: the bytes have the published HMAC`, () => {
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      expect(createHmac('sha256', secret).update(outcome.value.bytes).digest('hex')).to.equal(signature);
    });
  }

  for (const { id, params, payload, secret, signature } of vectors.webSocket) {
    const outcome = buildPayload({ params: Object.fromEntries(params) }, WEB_SOCKET_RULE, CONTEXT);

    it(`${id}: rule query, sorted and not encoded, gives the published text`, () => {
      expect(outcome).to.have.nested.property('value.text', payload);
    });

    if (secret === undefined) continue;

    it(`${id}: the bytes have the published HMAC`, () => {
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      expect(createHmac('sha256', secret).update(outcome.value.bytes).digest('hex')).to.equal(signature);
    });
  }

  for (const { id, payload, publicKeyPem, signature } of vectors.raw) {
    it(`${id}: rule raw gives the bytes covered by the published signature`, () => {
      const outcome = buildPayload({ text: payload }, { rule: 'raw' }, CONTEXT);
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      expect(verify(null, outcome.value.bytes, publicKeyPem, Buffer.from(signature, 'base64'))).to.equal(true);
    });
  }
});
