import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import { DATA_FORMATS } from '../../src/domain/model/platform.ts';
import { type MaskedPlatform, maskData } from '../../src/domain/payload/mask-data.ts';
import { HOSTILE, jsonObject, jsonValue } from './json-arbitraries.ts';

/** Under a rule that signs all of `data`. */
function maskAll(platform: MaskedPlatform, data: JsonObject): JsonObject {
  return maskData(platform, data, { rule: 'jcs' });
}

const SHOWN = [
  ...['symbol', 'market', 'side', 'type', 'ordType', 'instId', 'action', 'method', 'nonce', 'timestamp'],
  ...['instruction', 'primaryType', 'name', 'version', 'chainId', 'verifyingContract'],
];
const TARGETS = ['path', 'endpoint'];
const NEVER_SHOWN = ['price', 'amount', 'quantity', 'sz', 'px', 'text', 'hex', 'base64'];
const CONTAINERS = ['instruction', 'message', 'params', 'body', 'action', 'domain'];
const KNOWN = [...SHOWN, ...TARGETS, ...NEVER_SHOWN, ...CONTAINERS];

const PRINTABLE = /^[\x20-\x7e]{0,128}$/;

/** Plain texts, targets with a query, long and unprintable texts, and others. */
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.tuple(fc.string(), fc.string()).map(([path, secret]) => `/${path}?key=${secret}`),
  jsonValue(HOSTILE),
);

const name = fc.oneof(fc.constantFrom(...KNOWN), HOSTILE.name);

function objectOf(content: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonObject> {
  return fc
    .uniqueArray(fc.tuple(name, content), { maxLength: 12, selector: ([key]) => key })
    .map((members) => Object.fromEntries(members));
}

const data = objectOf(fc.oneof(value, objectOf(fc.oneof(value, objectOf(value)))));

/** Expects `masked` to reveal allowlisted values only. */
function expectMasked(masked: JsonObject, original: JsonObject, depth: number): void {
  for (const [key, shown] of Object.entries(masked)) {
    if (shown === '[masked]') {
      if (key !== '[other]') expect(KNOWN).to.include(key);
      continue;
    }
    expect(Object.hasOwn(original, key)).to.equal(true);
    const source = original[key];
    if (typeof shown === 'object') {
      expect(CONTAINERS).to.include(key);
      expect(depth).to.equal(0);
      expectMasked(shown as JsonObject, source as JsonObject, depth + 1);
    } else if (TARGETS.includes(key) && typeof source === 'string') {
      const [path = '', ...query] = source.split('?');
      expect(path).to.match(PRINTABLE);
      expect(shown).to.equal(query.length > 0 ? `${path}?[masked]` : path);
    } else {
      expect(SHOWN).to.include(key);
      expect(shown).to.equal(source);
      if (typeof shown === 'string') expect(shown).to.match(PRINTABLE);
      else expect(typeof shown === 'boolean' || Number.isFinite(shown)).to.equal(true);
    }
  }
}

describe('maskData properties', () => {
  for (const format of DATA_FORMATS) {
    it(`format ${format}: shows only short plain values of allowlisted fields`, () => {
      fc.assert(
        fc.property(fc.oneof(data, jsonObject(HOSTILE)), (original) => {
          expectMasked(maskAll({ format }, original), original, 0);
        }),
        { numRuns: 100 },
      );
    });

    it(`format ${format}: is bounded`, () => {
      const long = fc.string({ minLength: 100, maxLength: 2000, size: 'max' });
      const wide = fc.array(long, { maxLength: 50 }).map((names) => Object.fromEntries(names.map((key) => [key, key])));
      const full = fc.tuple(wide, long, value).map(([others, text, inner]) => {
        const texts = KNOWN.map((key, index) => [key, index % 2 === 0 ? text : text.slice(0, 128)] as const);
        const fields = { ...Object.fromEntries(texts), type: inner };
        return {
          ...others,
          ...fields,
          ...Object.fromEntries(CONTAINERS.map((key) => [key, { ...others, ...fields }])),
        };
      });
      fc.assert(
        fc.property(full, (original) => {
          expect(JSON.stringify(maskAll({ format }, original))).to.have.lengthOf.below(32_768);
        }),
        // Shrinking such texts takes minutes.
        { numRuns: 20, endOnFailure: true },
      );
    });
  }
});
