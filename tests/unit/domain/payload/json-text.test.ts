import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import { findJsonIssue, MAX_JSON_LEVELS } from '../../../../src/domain/payload/json-text.ts';

/** `levels` nested objects. */
function nestedObjects(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

/** An object with nested arrays, `levels` in all. */
function nestedArrays(levels: number): string {
  return `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
}

function issueIn(text: string) {
  return findJsonIssue(JSON.parse(text) as JsonObject);
}

describe('findJsonIssue', () => {
  describe('nesting', () => {
    it('accepts 64 levels, including a value in the deepest', () => {
      expect(MAX_JSON_LEVELS).to.equal(64);
      expect(issueIn(nestedObjects(64))).to.equal(undefined);
      expect(issueIn(nestedArrays(64))).to.equal(undefined);
      expect(issueIn(nestedObjects(64).replace('{}', '{"a":1}'))).to.equal(undefined);
    });

    for (const [kind, nested] of Object.entries({ objects: nestedObjects, arrays: nestedArrays })) {
      for (const levels of [65, 20_000]) {
        it(`rejects ${levels} levels of ${kind}`, () => {
          const issue = issueIn(nested(levels));
          expect(issue?.message).to.equal('must not be nested deeper than 64 levels');
          expect(issue?.path).to.match(/^data\.a[\x20-\x7e]{1,249}$/);
        });
      }
    }
  });

  describe('numbers', () => {
    for (const text of ['1e400', '-1e400']) {
      it(`rejects ${text}`, () => {
        expect(issueIn(`{"instruction":{"price":${text}}}`)).to.deep.equal({
          path: 'data.instruction.price',
          message: 'must be a number that an IEEE 754 double represents exactly; send other numbers as strings',
        });
      });
    }

    it('rejects NaN', () => {
      expect(findJsonIssue({ price: Number.NaN })?.path).to.equal('data.price');
    });

    for (const text of [
      '9007199254740992',
      '-9007199254740992',
      '9007199254740993',
      '1e30',
      '123456789012345678901234567890',
    ]) {
      it(`rejects the integer ${text} and asks for a string`, () => {
        const issue = issueIn(`{"items":[0,1,2,${text}]}`);
        expect(issue?.path).to.equal('data.items[3]');
        expect(issue?.message).to.match(/integer within ±\(2\^53-1\).*string/);
      });
    }

    for (const text of ['9007199254740991', '-9007199254740991', '0', '-0', '1e-400', '5e-324', '4503599627370495.5']) {
      it(`accepts ${text}`, () => {
        expect(issueIn(`{"n":${text}}`)).to.equal(undefined);
      });
    }
  });

  describe('names', () => {
    it('rejects a member named __proto__ at any level', () => {
      expect(issueIn('{"__proto__":{"x":1}}')).to.deep.equal({
        path: 'data.__proto__',
        message: 'must not be named __proto__; rename the field',
      });
      expect(issueIn('{"a":[{"__proto__":1}]}')?.path).to.equal('data.a[0].__proto__');
    });

    it('rejects a name with a lone surrogate and shows it escaped', () => {
      const issue = issueIn('{"a":{"x\\ud800":1}}');
      expect(issue?.path).to.equal('data.a["x\\ud800"]');
      expect(issue?.message).to.match(/name.*lone surrogate/);
    });
  });

  describe('strings', () => {
    for (const text of ['\\ud800', '\\udc00', 'a\\ud83d', '\\ude00\\ud83d', '\\ud83d\\ud83d\\ude00']) {
      it(`rejects "${text}"`, () => {
        const issue = issueIn(`{"message":"${text}"}`);
        expect(issue?.path).to.equal('data.message');
        expect(issue?.message).to.match(/lone surrogate/);
      });
    }
  });

  it('never puts a value into the message', () => {
    const planted: readonly JsonValue[] = ['s3cret\ud800', 123456 * 2 ** 50];
    for (const value of planted) {
      expect(JSON.stringify(findJsonIssue({ a: value }))).not.to.match(/s3cret|138999/);
    }
  });

  it('accepts 16,384 members and elements, counted at any depth', () => {
    const wide = (elements: number) => ({ a: { b: 1 }, items: Array.from({ length: elements }, () => 1) });
    expect(findJsonIssue(wide(16_381))).to.equal(undefined);
    expect(findJsonIssue(wide(16_382))).to.deep.equal({
      path: 'data.items[16381]',
      message: 'exceeds the limit of 16384 members and elements in data',
    });
  });
});
