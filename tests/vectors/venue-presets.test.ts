import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { loadSigners } from '../../src/app/load-signer.ts';
import { isMacAlgorithm, type SignatureEncoding } from '../../src/domain/model/algorithm.ts';
import { findRule, listRules, signatureEncoding } from '../../src/domain/model/platform.ts';
import { fromReleasedText, toReleasedText, toSignerEncoding } from '../../src/domain/model/text/signature-form.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { requiredValues } from '../../src/domain/payload/template.ts';
import type { VenuePreset } from '../../src/domain/presets/venue-preset.ts';
import {
  ALIAS_PRESETS,
  findAliased,
  findPreset,
  listPresetRules,
  VENUE_PRESETS,
} from '../../src/domain/presets/venue-presets.ts';
import { isEs256Signature } from '../contracts/independent-verification.ts';
import { encodeLike } from '../contracts/signature-bytes.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { allVectorsOf, findUncoveredCharacters, keyBytes, type VenueVector, vectorFileNames } from './venue-vectors.ts';

const SIGNERS = await loadSigners();

/** Source of vectors that nobody published. */
const COMPUTED = 'computed';

describe('Venue presets', () => {
  it('have one vector file each', () => {
    const names = VENUE_PRESETS.map(({ name }) => name);
    const merged = names.slice(0, -ALIAS_PRESETS.length);
    expect(merged).to.deep.equal([...new Set(merged)].sort());
    const aliases = names.slice(merged.length);
    expect(aliases).to.deep.equal(ALIAS_PRESETS.map(({ name }) => name));
    expect(aliases).to.deep.equal([...new Set(aliases)].sort());
    expect(names).to.have.members(vectorFileNames());
    for (const name of names) expect(findPreset(name)?.name).to.equal(name);
    expect(findPreset('constructor')).to.equal(undefined);
  });

  it('explain each of their named rules, and write the same rule under an older name', () => {
    for (const preset of VENUE_PRESETS) {
      expect(Object.keys(preset.rules ?? {}), preset.name).to.deep.equal(Object.keys(preset.platform.rules ?? {}));
      for (const { rule, preset: alone, alias } of listPresetRules(preset)) {
        const { algorithm, encoding, ...payload } = rule;
        const { platform } = preset;
        expect(alone.platform, `${preset.name} ${alias}`).to.deep.equal({
          format: 'any',
          payload,
          algorithms: algorithm === undefined ? platform.algorithms : [algorithm],
          encoding: encoding ?? platform.encoding,
          ...(platform.secretDecoding === undefined ? {} : { secretDecoding: platform.secretDecoding }),
        });
      }
    }
  });

  it('keep the older names of rules', () => {
    expect(ALIAS_PRESETS.map((preset) => ({ name: preset.name, ...findAliased(preset) }))).to.deep.equal([
      { name: 'binance-fix', preset: 'binance-ed25519', rule: 'fix' },
      { name: 'binance-ws', preset: 'binance', rule: 'websocket' },
      { name: 'binance-ws-ed25519', preset: 'binance-ed25519', rule: 'websocket' },
      { name: 'hyperliquid-user', preset: 'hyperliquid', rule: 'user' },
    ]);
    for (const preset of VENUE_PRESETS) {
      if (!ALIAS_PRESETS.includes(preset)) expect(findAliased(preset), preset.name).to.equal(undefined);
    }
  });

  for (const preset of VENUE_PRESETS) {
    describe(preset.name, () => {
      const platform = { platformId: preset.name, ...preset.platform };
      const vectors = allVectorsOf(preset);

      for (const vector of vectors) {
        it(`gives the text and signature of ${vector.id} (${vector.source.kind})`, () => {
          const rule = findRule(platform, vector.rule);
          if (rule === undefined) throw new Error(`The preset has no rule ${vector.rule}.`);
          expect(rule.algorithm === undefined ? platform.algorithms : [rule.algorithm]).to.deep.equal([
            vector.algorithm,
          ]);
          const outcome = buildPayload(vector.data, rule, payloadContext(vector.values, vector.algorithm));
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
          const form = signatureEncoding(platform, vector.algorithm, rule);
          const signature = signer.sign(signingKey, bytes, toSignerEncoding(form));
          const published = fromReleasedText(form, vector.signature, text);
          if (published === undefined) throw new Error('The published token has other content.');
          if (vector.algorithm === 'es256') {
            // Others sign with random nonces: the published signature and the new one verify.
            for (const made of [published, signature]) {
              expect(isEs256Signature(signer.publicKey(signingKey), bytes, Buffer.from(made, 'base64url'))).to.equal(
                true,
              );
            }
            return;
          }
          expect(toReleasedText(form, signature, text)).to.equal(vector.signature);
          if (isMacAlgorithm(vector.algorithm)) {
            expect(hmacBy(vector, toSignerEncoding(form), platform, bytes)).to.equal(published);
          }
        });
      }

      it('has a reserved and a non-ASCII character in parameters that each rule signs', () => {
        for (const name of [undefined, ...Object.keys(platform.rules ?? {})]) {
          const rule = findRule(platform, name);
          if (rule === undefined) throw new Error(`The preset has no rule ${name}.`);
          const ofRule = vectors.filter((vector) => vector.rule === name);
          expect(findUncoveredCharacters(rule, ofRule), name ?? 'default').to.deep.equal([]);
        }
      });

      it('uses one of its vectors as the example of each rule', () => {
        const explained = [{ name: undefined, preset }, ...listPresetRules(preset)];
        for (const {
          name,
          preset: { example },
        } of explained) {
          const shown = vectors.find(({ rule, signature }) => rule === name && signature === example.signature);
          expect(shown, name).to.deep.include({ key: example.key, data: example.data });
          expect(shown?.values).to.deep.equal(example.values);
          expect(example.payloadEncoding === 'hex' ? shown?.payloadHex : shown?.payload).to.equal(example.payload);
          expect(shown?.source.kind.startsWith(COMPUTED)).to.equal(example.isComputed === true);
        }
      });

      it('explains exactly the values that its rules read from an account', () => {
        const required = new Set(listRules(platform).flatMap(requiredValues));
        expect(Object.keys(preset.values ?? {})).to.deep.equal([...required]);
      });
    });
  }
});

/** The HMAC by OpenSSL alone. */
function hmacBy(
  { algorithm, key }: VenueVector,
  encoding: SignatureEncoding,
  platform: VenuePreset['platform'],
  message: Uint8Array,
): string {
  const secret = keyBytes(key, platform.secretDecoding);
  const mac = createHmac(algorithm.replace('hmac-', ''), secret).update(message).digest();
  return encodeLike(mac, encoding);
}
