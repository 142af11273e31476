import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { findPreset, listPresetRules, listPresets } from '../../src/adapters/venues/venue-files.ts';
import type { VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import { listPlatformValues } from '../../src/domain/configuration/platform-issues.ts';
import {
  fromReleasedText,
  isMacAlgorithm,
  type SignatureEncoding,
  toSignerEncoding,
} from '../../src/domain/model/algorithm.ts';
import { findRule, listRules, type Platform, signatureEncoding } from '../../src/domain/model/platform.ts';
import { requiredValues } from '../../src/domain/payload/payload-rules.ts';
import { isEs256Signature } from '../contracts/independent-verification.ts';
import { encodeLike } from '../contracts/signature-bytes.ts';
import { findUncoveredCharacters, keyBytes, openKey } from '../harness/venue-vectors.ts';

describe('Venue presets', () => {
  it('have unique names, by which they are found', () => {
    const names = listPresets().map(({ name }) => name);
    expect(names).to.deep.equal([...new Set(names)].sort());
    for (const name of names) expect(findPreset(name)?.name).to.equal(name);
    expect(findPreset('constructor')).to.equal(undefined);
  });

  for (const preset of listPresets()) {
    describe(preset.name, () => {
      const platform = { platformId: preset.name, ...preset.platform };
      const { vectors } = preset;

      // The service's own are those of the vectors, see venue-requests.test.ts.
      for (const vector of vectors.filter(({ algorithm }) => algorithm === 'es256' || isMacAlgorithm(algorithm))) {
        it(`has a signature that OpenSSL verifies: ${vector.id}`, () => {
          const form = signatureEncoding(platform, vector.algorithm, findRule(platform, vector.rule));
          const { payload = '', payloadHex } = vector;
          const bytes = payloadHex === undefined ? Buffer.from(payload) : Buffer.from(payloadHex, 'hex');
          const published = fromReleasedText(form, vector.signature, payload);
          if (published === undefined) throw new Error('The published token has other content.');
          if (isMacAlgorithm(vector.algorithm)) {
            expect(hmacBy(vector, toSignerEncoding(form), platform, bytes)).to.equal(published);
            return;
          }
          const { signer, signingKey } = openKey(platform, vector);
          const isValid = isEs256Signature(signer.publicKey(signingKey), bytes, Buffer.from(published, 'base64url'));
          expect(isValid).to.equal(true);
        });
      }

      it('has a reserved and a non-ASCII character in parameters that each rule signs', () => {
        for (const name of [undefined, ...Object.keys(platform.rules ?? {})]) {
          const rule = findRule(platform, name);
          if (rule === undefined) throw new Error(`The preset has no rule ${name}.`);
          // Another name of a rule may be there for what is sent alone.
          const isSigned = (other: object) => isDeepStrictEqual({ ...other, send: 0 }, { ...rule, send: 0 });
          const ofRule = vectors.filter((vector) => isSigned(findRule(platform, vector.rule) ?? {}));
          expect(findUncoveredCharacters(rule, ofRule), name ?? 'default').to.deep.equal([]);
        }
      });

      it('explains each rule with one of its vectors', () => {
        expect(Object.keys(preset.rules ?? {})).to.deep.equal(Object.keys(platform.rules ?? {}));
        for (const { name, example } of listPresetRules(preset)) expect(example.rule).to.equal(name);
      });

      it('explains the values that its rules read from an account, and no others but those of requests', () => {
        const explained = Object.keys(preset.values ?? {});
        expect(explained).to.include.members(listRules(platform).flatMap(requiredValues));
        expect(listPlatformValues(platform)).to.include.members(explained);
      });
    });
  }
});

/** The HMAC by OpenSSL alone. */
function hmacBy(
  { algorithm, key }: VenueVector,
  encoding: SignatureEncoding,
  platform: Pick<Platform, 'secretDecoding'>,
  message: Uint8Array,
): string {
  const secret = keyBytes(key, platform.secretDecoding);
  const mac = createHmac(algorithm.replace('hmac-', ''), secret).update(message).digest();
  return encodeLike(mac, encoding);
}
