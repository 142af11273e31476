import { Buffer } from 'node:buffer';
import { createHmac, verify } from 'node:crypto';
import { expect } from 'chai';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import vectors from './binance.json' with { type: 'json' };

const CONTEXT = payloadContext();

const WEB_SOCKET_RULE = { rule: 'query', field: 'params', sort: true, encode: 'none' } as const;

describe('Binance vectors', () => {
  const texts = [
    ...vectors.query.map((vector) => ({ ...vector, rule: { rule: 'query', field: 'params' } as const })),
    ...vectors.webSocket.map((vector) => ({ ...vector, rule: WEB_SOCKET_RULE })),
  ];
  for (const { id, params, payload, secret, signature, rule } of texts) {
    it(`${id}: rule query gives the published text, which has the published HMAC`, () => {
      const outcome = buildPayload({ params: Object.fromEntries(params) }, rule, CONTEXT);
      if (!outcome.ok) throw new Error(outcome.refusal.message);
      expect(outcome.value.text).to.equal(payload);
      if (secret === undefined) return;
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
