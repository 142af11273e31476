import { expect } from 'chai';
import fc from 'fast-check';
import { plainObjectText } from '../../../src/audit-trail/plain-object-text.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { canonicalJson } from '../../../src/domain/payload/jcs.ts';
import { HOSTILE, jsonObject } from '../../property/json-arbitraries.ts';

const PLAIN_TEXT = fc.string({ unit: fc.constantFrom(...' !#azAZ09[]{}:,._-~') });

/** Objects as masking makes them: members of printable names, in any order, and no arrays. */
const plainObject = fc.letrec<{ object: JsonObject }>((tie) => ({
  object: fc.dictionary(
    PLAIN_TEXT,
    fc.oneof(
      { maxDepth: 3 },
      PLAIN_TEXT,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      tie('object'),
    ),
    { maxKeys: 12, noNullPrototype: true },
  ),
})).object;

describe('plainObjectText', () => {
  it('writes plain objects as RFC 8785 says', () => {
    fc.assert(
      fc.property(plainObject, (object) => {
        expect(plainObjectText(object)).to.equal(canonicalJson(object));
      }),
    );
  });

  it('writes nothing, or what RFC 8785 says in printable ASCII without escapes, of any object', () => {
    fc.assert(
      fc.property(jsonObject(HOSTILE), (object) => {
        const text = plainObjectText(object);
        if (text === null) return;
        expect(text)
          .to.equal(canonicalJson(object))
          .and.to.match(/^[\x20-\x5b\x5d-\x7e]*$/);
        expect(canonicalJson(JSON.parse(text))).to.equal(text);
      }),
      { numRuns: 1000 },
    );
  });

  it('writes wide objects in order too', () => {
    const wide = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, index]));
    expect(plainObjectText(wide)).to.equal(canonicalJson(wide));
  });

  it('leaves what it is not sure of to others', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(10)}{}${'}'.repeat(10)}`);
    const unsure = [
      deep,
      ...['"', '\\', 'é', '\n', '\u007f', '\u2028', '\ud800'].flatMap((text) => [{ text }, { [text]: 1 }]),
    ];
    for (const object of unsure) expect(plainObjectText(object), JSON.stringify(object)).to.equal(null);
    for (const value of [undefined, () => 1, 1n, Symbol('s'), Number.NaN, Number.POSITIVE_INFINITY, []]) {
      expect(plainObjectText({ value } as never), String(value)).to.equal(null);
    }
  });

  it('takes own members alone, __proto__ included', () => {
    expect(plainObjectText(JSON.parse('{"b":1,"__proto__":{"a":-0}}'))).to.equal('{"__proto__":{"a":0},"b":1}');
    expect(plainObjectText(Object.create({ inherited: 1 }) as JsonObject)).to.equal('{}');
  });
});
