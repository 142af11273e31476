import { decode, encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonValue } from '../../src/domain/model/json.ts';
import { messagePack } from '../../src/domain/payload/message-pack.ts';
import { anyText } from './any-text.ts';
import { SIGNABLE } from './json-arbitraries.ts';

/** Integers, many at the limits of an encoding. */
const integer = fc.oneof(
  fc.maxSafeInteger(),
  fc.integer({ min: -300, max: 300 }),
  fc
    .tuple(fc.constantFrom(5, 7, 8, 15, 16, 31, 32, 52), fc.integer({ min: -2, max: 2 }), fc.constantFrom(1, -1))
    .map(([bits, off, sign]) => sign * 2 ** bits + off),
);

/** Texts, many at the length limits of an encoding. */
const text = fc.oneof(
  anyText(40),
  fc.tuple(fc.constantFrom(31, 32, 255, 256, 65_535, 65_536), fc.constantFrom('a', 'é', '😀')).map(([length, sign]) => {
    return sign.repeat(Math.floor(length / Buffer.byteLength(sign)));
  }),
);

const { value } = fc.letrec<{ value: JsonValue; array: JsonValue[]; object: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    { weight: 4, arbitrary: fc.oneof(integer, text, fc.boolean(), fc.constant(null)) },
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 20, size: 'max' }),
  object: fc
    .uniqueArray(fc.tuple(SIGNABLE.name, tie('value')), { maxLength: 20, size: 'max', selector: ([name]) => name })
    .map((members) => Object.fromEntries(members)),
}));

describe('messagePack properties', () => {
  it('writes the bytes of @msgpack/msgpack, which decodes them', () => {
    fc.assert(
      fc.property(value, (document) => {
        const bytes = messagePack(document);
        expect(Buffer.from(bytes).equals(encode(document))).to.equal(true);
        expect(JSON.stringify(decode(bytes))).to.equal(JSON.stringify(document));
      }),
      { numRuns: 60 },
    );
  });
});
