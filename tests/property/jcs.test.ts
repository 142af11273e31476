import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import { canonicalJson } from '../../src/domain/model/text/jcs.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { canonicalize } from '../harness/canonicalize.ts';
import { jsonObject, jsonValue, NARROW, received, SIGNABLE } from './json-arbitraries.ts';

const CONTEXT = payloadContext();

function signedText(data: JsonObject): string {
  const outcome = buildPayload(data, { rule: 'jcs' }, CONTEXT);
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(outcome.value.bytes);
}

function reversed(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.reverse());
}

describe('RFC 8785 properties', () => {
  it('agrees with another implementation', () => {
    fc.assert(
      fc.property(jsonValue(SIGNABLE), (value) => {
        expect(canonicalJson(value)).to.equal(canonicalize(value));
      }),
      { numRuns: 150 },
    );
  });

  it('agrees with another implementation for every double', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, (value) => {
        expect(canonicalJson(value)).to.equal(canonicalize(value));
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(jsonValue(SIGNABLE), (value) => {
        expect(canonicalJson(reversed(value))).to.equal(canonicalJson(value));
      }),
    );
  });

  it('round-trips signed objects', () => {
    fc.assert(
      fc.property(jsonObject(SIGNABLE), (data) => {
        expect(isDeepStrictEqual(JSON.parse(signedText(data)), received(data))).to.equal(true);
      }),
      { numRuns: 150 },
    );
  });

  for (const [kind, ingredients] of Object.entries({ SIGNABLE, NARROW })) {
    it(`gives equal payloads exactly for equal objects (${kind.toLowerCase()} values)`, () => {
      fc.assert(
        fc.property(jsonObject(ingredients), jsonObject(ingredients), (one, other) => {
          const alike = isDeepStrictEqual(received(one), received(other));
          expect(signedText(one) === signedText(other)).to.equal(alike);
        }),
        { numRuns: 300 },
      );
    });
  }
});
