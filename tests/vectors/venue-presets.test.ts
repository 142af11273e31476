import { expect } from 'chai';
import { createSigners } from '../../src/app/compose.ts';
import { signatureEncoding } from '../../src/domain/model/platform.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { requiredValues } from '../../src/domain/payload/template.ts';
import { findPreset, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { keyBytes, vectorFileNames, vectorsOf } from './venue-vectors.ts';

const SIGNERS = createSigners();

describe('Venue presets', () => {
  it('have one vector file each', () => {
    const names = VENUE_PRESETS.map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)].sort());
    expect(names).to.have.members(vectorFileNames());
    for (const name of names) expect(findPreset(name)?.name).to.equal(name);
    expect(findPreset('constructor')).to.equal(undefined);
  });

  for (const preset of VENUE_PRESETS) {
    describe(preset.name, () => {
      const platform = { platformId: preset.name, ...preset.platform };
      const vectors = vectorsOf(preset.name);

      for (const vector of vectors) {
        it(`gives the text and signature of ${vector.id} (${vector.source.kind})`, () => {
          expect(platform.algorithms).to.deep.equal([vector.algorithm]);
          const outcome = buildPayload(vector.data, platform.payload, payloadContext(vector.values));
          if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
          const { bytes, text, parts } = outcome.value;
          if (vector.payload !== undefined) expect(text).to.equal(vector.payload);
          expect(Buffer.from(bytes).toString('hex')).to.equal(
            vector.payloadHex ?? Buffer.from(vector.payload ?? '').toString('hex'),
          );
          expect(parts ?? {}).to.deep.include(vector.parts ?? {});

          const signer = SIGNERS[vector.algorithm];
          const privateKey = keyBytes(vector.key, platform.secretDecoding);
          const signingKey = Buffer.alloc(signer.signingKeyLength(privateKey.length));
          signer.expand(privateKey, signingKey);
          const signature = signer.sign(signingKey, bytes, signatureEncoding(platform, vector.algorithm));
          expect(signature).to.equal(vector.signature);
        });
      }

      it('uses one of its vectors as its example', () => {
        const { example } = preset;
        const shown = vectors.find(({ signature }) => signature === example.signature);
        expect(shown).to.deep.include({ key: example.key, data: example.data });
        expect(shown?.values).to.deep.equal(example.values);
        expect(example.payloadEncoding === 'hex' ? shown?.payloadHex : shown?.payload).to.equal(example.payload);
      });

      it('explains exactly the values that its rule reads from an account', () => {
        expect(Object.keys(preset.values ?? {})).to.deep.equal(requiredValues(platform.payload));
      });
    });
  }
});
