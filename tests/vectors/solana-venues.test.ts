import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { bs58 } from '../harness/base58.ts';
import vectors from './solana-venues.json' with { type: 'json' };

const CONTEXT = payloadContext();

const PUBLIC_KEY = createPublicKey({
  key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bs58.decode(vectors.publicKey)).toString('base64url') },
  format: 'jwk',
});

const VENUES = [
  { rule: 'backpack', texts: vectors.backpack, decode: (text: string) => Buffer.from(text, 'base64') },
  { rule: 'jcs', texts: vectors.pacifica, decode: (text: string) => bs58.decode(text) },
] as const;

describe('Backpack and Pacifica vectors', () => {
  for (const { rule, texts, decode } of VENUES) {
    for (const { id, data, payload, signature } of texts) {
      it(`${id}: rule ${rule} gives the published text, which the published signature covers`, () => {
        const outcome = buildPayload(JSON.parse(JSON.stringify(data)), { rule }, CONTEXT);
        if (!outcome.ok) throw new Error(outcome.refusal.message);
        expect(outcome.value.text).to.equal(payload);
        if (signature === undefined) return;
        expect(verify(null, outcome.value.bytes, PUBLIC_KEY, decode(signature))).to.equal(true);
      });
    }
  }
});
