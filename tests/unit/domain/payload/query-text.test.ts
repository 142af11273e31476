import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { QueryStyle } from '../../../../src/domain/model/payload-rule.ts';
import { queryText } from '../../../../src/domain/payload/query-text.ts';

function written(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = queryText(['body', 0], members, style);
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  expect(outcome.value.isMade).to.equal(true);
  return outcome.value.text;
}

function issueOf(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = queryText(['body', 0], members, style);
  if (outcome.ok) throw new Error(`accepted: ${outcome.value.text}`);
  return `${outcome.refusal.path} ${outcome.refusal.message}`;
}

describe('queryText', () => {
  it('percent-encodes in the order sent where no style says otherwise', () => {
    expect(written({ b: 'x y', a: 1 })).to.equal('b=x%20y&a=1');
    expect(written({ b: 'x y', a: 1 }, { sort: false, encode: 'percent' })).to.equal('b=x%20y&a=1');
    expect(written({})).to.equal('');
  });

  it('sorts by UTF-16 code units, integer names included', () => {
    const members = JSON.parse('{"b":1,"a":2,"B":3,"10":4,"9":5,"_":6,"\\ufb33":7,"\\ud83d\\ude00":8,"aa":9,"":0}');
    expect(written(members, { sort: true, encode: 'none' })).to.equal('=0&10=4&9=5&B=3&_=6&a=2&aa=9&b=1&😀=8&\ufb33=7');
  });

  it('sorts by the names as they are, not as they are encoded', () => {
    expect(written({ '~': 1, é: 2, 'a b': 3, 'a-': 4 }, { sort: true })).to.equal('a%20b=3&a-=4&~=1&%C3%A9=2');
  });

  it('writes names and values as they are where nothing is encoded', () => {
    expect(written({ é: 'a b', 'c%': '=?#/+%20', d: 1e-7, e: true }, { encode: 'none' })).to.equal(
      'é=a b&c%==?#/+%20&d=1e-7&e=true',
    );
  });

  it('refuses what would read as another parameter where nothing is encoded', () => {
    expect(issueOf({ a: 'b&c' }, { encode: 'none' })).to.match(/^data\.body\[0\]\.a must not have &/);
    expect(issueOf({ 'a&b': 1 }, { encode: 'none' })).to.match(
      /^data\.body\[0\]\["a&b"\] must not have & or = in its name/,
    );
    expect(issueOf({ 'a=b': 1 }, { encode: 'none', sort: true })).to.match(/must not have & or = in its name/);
    expect(written({ 'a&=b': '&' })).to.equal('a%26%3Db=%26');
  });

  it('refuses null, arrays and objects, and integer names that have lost their place', () => {
    for (const style of [{}, { sort: true }, { encode: 'none' as const }]) {
      for (const value of [null, [], {}]) {
        expect(issueOf({ x: value }, style)).to.equal('data.body[0].x must be a string, a number or a boolean');
      }
    }
    expect(issueOf(JSON.parse('{"a":1,"5":2}'))).to.match(/^data\.body\[0\]\["5"\] has an integer as its name/);
    expect(issueOf(JSON.parse('{"a":1,"5":2}'), { encode: 'none' })).to.match(/has an integer as its name/);
  });
});
