import { expect } from 'chai';
import fc from 'fast-check';
import { visit } from 'jsonc-parser';
import { countMemberSteps, countNameSteps } from '../../../src/json-text/member-counts.ts';
import { jsonText } from './json-texts.ts';

/** What steps come to in the end, and how many there are before. */
function run<Result>(steps: Generator<void, Result>): { readonly result: Result; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const { done, value } = steps.next();
    if (done === true) return { result: value, pauses };
  }
}

const countNames = (text: string) => run(countNameSteps(text)).result;
const countMembers = (value: unknown) => run(countMemberSteps(value)).result;

/** The same number by a parser that knows the whole grammar. */
function namesByParser(text: string): number {
  let names = 0;
  const onObjectProperty = () => {
    names += 1;
  };
  visit(text, { onObjectProperty });
  return names;
}

describe('countNames', () => {
  it('counts as a parser does that knows the whole grammar', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        JSON.parse(text);
        expect(countNames(text), text).to.equal(namesByParser(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('counts no colon in a string, and no string that stands as a value', () => {
    expect(countNames('{"a:":"b:","\\":":["c","\\\\"]}')).to.equal(2);
  });

  it('takes a long string of backslashes, or of quotes, in a time that grows with its length alone', () => {
    for (const character of ['\\', '"']) {
      const text = JSON.stringify({ a: character.repeat(2_000_000), b: 1 });
      expect(countNames(text)).to.equal(2);
    }
  });

  it('ends on what is no JSON', () => {
    for (const text of ['"', '{"a', '{"a":"', '{"a":1,"b\\"', '":"']) expect(countNames(text)).to.be.at.most(1);
  });
});

describe('countMembers', () => {
  it('counts members of objects at every level, and no elements', () => {
    expect(countMembers({ a: [{ b: 1 }, [{ c: null }], 'd'], e: {} })).to.equal(4);
    for (const value of [null, 1, 'a', [], [[1]]]) expect(countMembers(value)).to.equal(0);
  });

  it('counts a member whose name objects inherit like others', () => {
    expect(countMembers(JSON.parse('{"__proto__":{"constructor":1},"toString":2}'))).to.equal(3);
  });

  it('counts 1000 levels and no more', () => {
    const levels = (count: number): unknown => JSON.parse(`${'{"a":['.repeat(count / 2)}${']}'.repeat(count / 2)}`);
    expect(countMembers(levels(1000))).to.equal(500);
    expect(countMembers(levels(1002))).to.be.NaN;
    expect(countMembers(levels(100_000))).to.be.NaN;
  });

  it('is, of a parsed text, the number of its names less those that stood twice', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(countMembers(value)).to.equal(countNames(JSON.stringify(value)));
      }),
    );
    expect(countMembers(JSON.parse('{"a":{"b":1,"c":2},"a":{}}'))).to.equal(1);
  });
});

describe('Counting in steps', () => {
  it('lets others have a turn every few thousand members or names, however long one object is', () => {
    const object = Object.fromEntries(Array.from({ length: 95_000 }, (_, index) => [`m${index}`, 1]));
    for (const steps of [countMemberSteps(object), countNameSteps(JSON.stringify(object))]) {
      const { result, pauses } = run(steps);
      expect(result).to.equal(95_000);
      expect(pauses).to.be.at.least(20);
    }
  });
});
