import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import { anyText } from './any-text.ts';

/** Parts of random JSON. */
interface Ingredients {
  readonly name: fc.Arbitrary<string>;
  readonly scalar: fc.Arbitrary<JsonValue>;
}

const text = anyText(12);

const trickyName = fc.constantFrom(
  '',
  '0',
  '1',
  '2',
  '10',
  '010',
  'a',
  'A',
  'aa',
  'é',
  '\ufb33',
  '😀',
  '"',
  'constructor',
  'toJSON',
);

const signableNumber = fc
  .oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.maxSafeInteger(), fc.constantFrom(-0, 1e-7, 1e-6, 0.1))
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value));

/** Signable JSON: safe integers, well-formed texts, any name but `__proto__`. */
export const SIGNABLE: Ingredients = {
  name: fc.oneof(text, trickyName).filter((name) => name !== '__proto__'),
  scalar: fc.oneof(text, signableNumber, fc.boolean(), fc.constant(null)),
};

/** Anything that `JSON.parse` yields: lone surrogates, unsafe numbers and `__proto__` included. */
export const HOSTILE: Ingredients = {
  name: fc.oneof(SIGNABLE.name, fc.constantFrom('__proto__', '\ud800', 'x\udc00')),
  scalar: fc.oneof(
    SIGNABLE.scalar,
    fc.double(),
    fc.constantFrom('\ud800', 'a\udc00', 2 ** 53, -(2 ** 60), Number.POSITIVE_INFINITY),
  ),
};

/** Few names and values, so that documents are often equal. */
export const NARROW: Ingredients = {
  name: fc.constantFrom('a', 'b', '1', 'a":1,"b'),
  scalar: fc.constantFrom<JsonValue>(0, -0, 1, '1', '', 'a', null, false, '{}', '[]'),
};

/** A JSON object of few levels, members in random order. */
export function jsonObject({ name, scalar }: Ingredients): fc.Arbitrary<JsonObject> {
  return fc.letrec<{ object: JsonObject; value: JsonValue; array: JsonValue[] }>((tie) => ({
    value: fc.oneof({ maxDepth: 3, withCrossShrink: true }, scalar, tie('array'), tie('object')),
    array: fc.array(tie('value'), { maxLength: 5 }),
    object: fc
      .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 6, selector: ([key]) => key })
      .map((members) => Object.fromEntries(members)),
  })).object;
}

export function jsonValue(ingredients: Ingredients): fc.Arbitrary<JsonValue> {
  return fc.oneof(ingredients.scalar, fc.array(ingredients.scalar, { maxLength: 4 }), jsonObject(ingredients));
}

/** JSON as received: minus zero becomes zero. */
export function received<Value extends JsonValue>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
