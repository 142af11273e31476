import { expect } from 'chai';
import fc from 'fast-check';
import { findDuplicateMembers } from '../../../src/json-text/duplicate-members.ts';
import { certainlyStandOnce } from '../../../src/json-text/names-stand-once.ts';
import { jsonText } from './json-texts.ts';

const isCertain = (text: string) => certainlyStandOnce(text, JSON.parse(text));

describe('certainlyStandOnce', () => {
  it('never says so of a text in which a member stands twice', () => {
    let certain = 0;
    let doubled = 0;
    fc.assert(
      fc.property(jsonText, (text) => {
        const search = findDuplicateMembers(text, JSON.parse(text));
        const isDoubled = search.outcome !== 'searched' || search.duplicates.length > 0;
        if (isDoubled) doubled += 1;
        if (!isCertain(text)) return;
        certain += 1;
        expect(isDoubled, text).to.equal(false);
      }),
      { numRuns: 5000 },
    );
    // Else nothing was tried.
    expect(certain).to.be.greaterThan(100);
    expect(doubled).to.be.greaterThan(100);
  });

  it('says so of all texts without a colon in a string', () => {
    const character = fc.constantFrom('a', 'b', '"', '\\', ',', '{', '}', ' ', '\n', 'é');
    const string = fc.string({ unit: character, maxLength: 4 });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        string,
        fc.constantFrom(1, -0.5, true, null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(string, tie('value'), { maxKeys: 4, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (any, space) => {
        const text = JSON.stringify(any, null, space);
        expect(isCertain(text), text).to.equal(true);
      }),
    );
    for (const text of ['{}', '[]', '1', '"a"', '{"a":1}', '{ "a" : { "b" : [ { "c" : null } , 2 ] } , "d" : "" }']) {
      expect(isCertain(text), text).to.equal(true);
    }
  });

  it('leaves to others what it can not tell', () => {
    for (const text of ['{"a":":"}', '{":":1}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"a":{"b":1},"a":2}']) {
      expect(isCertain(text), text).to.equal(false);
    }
    const deep = `${'['.repeat(8000)}${']'.repeat(8000)}`;
    expect(isCertain(deep)).to.equal(false);
  });

  it('is not fooled by a name that a member hides and another one makes up for', () => {
    expect(isCertain('{"__proto__":{"a":1},"__proto__":2}')).to.equal(false);
    expect(isCertain('{"__proto__":{"a":1}}')).to.equal(true);
    expect(isCertain('{"toString":1,"constructor":2}')).to.equal(true);
  });
});
