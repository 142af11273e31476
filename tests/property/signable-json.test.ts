import { expect } from 'chai';
import fc from 'fast-check';
import { type JsonObject, type JsonValue, jsonPath } from '../../src/domain/model/json.ts';
import { findJsonIssue, MAX_JSON_LEVELS } from '../../src/domain/payload/json-text.ts';
import { HOSTILE, jsonObject, jsonValue, SIGNABLE } from './json-arbitraries.ts';

/** Wraps a value in an object or array with valid siblings. */
type Wrapper =
  | { readonly name: string; readonly siblings: JsonObject }
  | { readonly before: readonly JsonValue[]; readonly after: readonly JsonValue[] };

const objectWrapper = fc.record({ name: SIGNABLE.name, siblings: jsonObject(SIGNABLE) });
const soundArray = fc.array(jsonValue(SIGNABLE), { maxLength: 3 });
const wrapper: fc.Arbitrary<Wrapper> = fc.oneof(objectWrapper, fc.record({ before: soundArray, after: soundArray }));

/** Path of a value in `data`, outside in. */
const place = fc.tuple(objectWrapper, fc.array(wrapper, { maxLength: 6 })).map(([first, rest]) => [first, ...rest]);

const badValue = fc.oneof(
  fc.constantFrom<JsonValue>(Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, -(2 ** 53), 1e300),
  fc.tuple(fc.string(), fc.string()).map(([head, tail]) => `${head}\ud800${tail}`),
  fc.tuple(fc.string(), fc.string()).map(([head, tail]) => `${head}\udfff${tail}`),
);

function wrap(value: JsonValue, level: Wrapper): JsonValue {
  if ('before' in level) return [...level.before, value, ...level.after];
  const siblings = Object.entries(level.siblings).filter(([name]) => name !== level.name);
  return Object.fromEntries([...siblings, [level.name, value]]);
}

function planted(value: JsonValue, levels: readonly Wrapper[]): { readonly data: JsonObject; readonly path: string } {
  const data = levels.reduceRight<JsonValue>(wrap, value) as JsonObject;
  const steps = levels.map((level) => ('before' in level ? level.before.length : level.name));
  return { data, path: jsonPath('data', steps) };
}

/** `levels` nested arrays. */
function nested(levels: number): JsonValue {
  let value: JsonValue = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}

describe('findJsonIssue properties', () => {
  it('accepts valid data', () => {
    fc.assert(
      fc.property(jsonObject(SIGNABLE), (data) => {
        expect(findJsonIssue(data)).to.equal(undefined);
      }),
      { numRuns: 150 },
    );
  });

  it('reports the path of an invalid value', () => {
    fc.assert(
      fc.property(badValue, place, (bad, levels) => {
        const { data, path } = planted(bad, levels);
        expect(findJsonIssue(data)?.path).to.equal(path);
      }),
      { numRuns: 150 },
    );
  });

  it('reports the path of an invalid name', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('__proto__', 'x\ud800', '\udc00'),
        jsonValue(SIGNABLE),
        place,
        (name, value, levels) => {
          const { data, path } = planted(value, [...levels, { name, siblings: {} }]);
          expect(findJsonIssue(data)?.path).to.equal(path);
        },
      ),
    );
  });

  it('reports nesting only beyond the maximum depth', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), place, (levels, around) => {
        const { data } = planted(nested(levels), around);
        const tooDeep = levels + around.length > MAX_JSON_LEVELS;
        expect(findJsonIssue(data)?.message.includes('nested deeper') ?? false).to.equal(tooDeep);
      }),
    );
  });

  it('formats paths as one short printable line that starts with data', () => {
    fc.assert(
      fc.property(jsonObject(HOSTILE), (data) => {
        const issue = findJsonIssue(data);
        if (issue !== undefined) expect(issue.path).to.match(/^data[\x20-\x7e]{1,252}$/);
      }),
      { numRuns: 150 },
    );
  });
});
