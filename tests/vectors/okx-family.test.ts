import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import vectors from './okx-family.json' with { type: 'json' };

const RULE = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' } as const;

describe('OKX, Bitget and KuCoin vectors', () => {
  for (const { id, secret, timestamp, method, path, body, payload, signature } of vectors.vectors) {
    const request: JsonObject = { timestamp, method: method.toLowerCase(), path };
    const forms: { readonly [form: string]: JsonObject } =
      body === undefined
        ? { 'no body': request }
        : { 'the body as text': { ...request, body }, 'the body as object': { ...request, body: JSON.parse(body) } };

    for (const [form, data] of Object.entries(forms)) {
      it(`${id}: rule prehash with ${form} gives the published text, which has the published HMAC`, () => {
        const outcome = buildPayload(data, RULE, payloadContext());
        if (!outcome.ok) throw new Error(outcome.refusal.message);
        expect(outcome.value.text).to.equal(payload);
        expect(createHmac('sha256', secret).update(outcome.value.bytes).digest('base64')).to.equal(signature);
      });
    }
  }
});
