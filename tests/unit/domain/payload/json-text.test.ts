import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import { findJsonIssue, MAX_JSON_LEVELS } from '../../../../src/domain/payload/json-text.ts';

function issueIn(text: string) {
  return findJsonIssue(JSON.parse(text) as JsonObject);
}

describe('findJsonIssue', () => {
  it('says what a value or name must be', () => {
    expect(MAX_JSON_LEVELS).to.equal(64);
    for (const [text, path, message] of [
      [`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, /^data\.a/, /^must not be nested deeper than 64 levels$/],
      [
        '{"a":{"price":1e400}}',
        /^data\.a\.price$/,
        /^must be a number that an IEEE 754 double represents exactly; send/,
      ],
      ['{"items":[0,1,2,9007199254740992]}', /^data\.items\[3\]$/, /integer within ±\(2\^53-1\).*string/],
      ['{"a":[{"__proto__":1}]}', /^data\.a\[0\]\.__proto__$/, /^must not be named __proto__; rename the field$/],
      ['{"a":{"x\\ud800":1}}', /^data\.a\["x\\ud800"\]$/, /name.*lone surrogate/],
      ['{"message":"a\\ud83d"}', /^data\.message$/, /lone surrogate/],
    ] as const) {
      const issue = issueIn(text);
      expect(issue?.path, text).to.match(path);
      expect(issue?.message, text).to.match(message);
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
