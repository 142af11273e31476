import { expect } from 'chai';
import { findInJson, findReorderedMember, isReordered, jsonPath } from '../../../../src/domain/model/json.ts';

describe('jsonPath', () => {
  it('joins plain names with dots and puts indexes in brackets', () => {
    expect(jsonPath('data', ['instruction', 'price'])).to.equal('data.instruction.price');
    expect(jsonPath('data', ['items', 3, '$ref_1'])).to.equal('data.items[3].$ref_1');
  });

  it('quotes names that are not identifiers', () => {
    expect(jsonPath('data', ['odd key'])).to.equal('data["odd key"]');
    expect(jsonPath('data', [''])).to.equal('data[""]');
    expect(jsonPath('data', ['10'])).to.equal('data["10"]');
    expect(jsonPath('data', ['a"b\\c'])).to.equal('data["a\\"b\\\\c"]');
  });

  it('escapes everything that is not printable ASCII', () => {
    expect(jsonPath('data', ['a\nb'])).to.equal('data["a\\nb"]');
    expect(jsonPath('data', ['\u007f\u0085\u2028\u202e'])).to.equal('data["\\u007f\\u0085\\u2028\\u202e"]');
    expect(jsonPath('data', ['😀'])).to.equal('data["\\ud83d\\ude00"]');
    expect(jsonPath('data', ['\ud83d'])).to.equal('data["\\ud83d"]');
  });

  it('truncates a name after 64 characters', () => {
    expect(jsonPath('data', ['k'.repeat(64)])).to.equal(`data.${'k'.repeat(64)}`);
    expect(jsonPath('data', ['k'.repeat(65)])).to.equal(`data["${'k'.repeat(64)}..."]`);
    expect(jsonPath('data', ['k'.repeat(1_000_000)])).to.have.lengthOf.below(80);
  });

  it('keeps both ends of a path that is longer than 256 characters', () => {
    const path = jsonPath('data', ['first', ...Array.from({ length: 60 }, () => 'middle-one'), 'last']);
    expect(path).to.have.lengthOf.at.most(256);
    expect(path).to.match(/^data\.first\[.*\.\.\..*\]\.last$/);
  });
});

describe('findInJson', () => {
  it('visits each value with its step and depth, parents before children, in the order sent', () => {
    const seen: unknown[] = [];
    findInJson('data', { b: [1, { c: null }], a: 'x' }, (value, step, depth) => {
      seen.push([step, depth, value]);
      return undefined;
    });
    expect(seen).to.deep.equal([
      [undefined, 0, { b: [1, { c: null }], a: 'x' }],
      ['b', 1, [1, { c: null }]],
      [0, 2, 1],
      [1, 2, { c: null }],
      ['c', 3, null],
      ['a', 1, 'x'],
    ]);
  });

  it('visits nothing below an invalid value', () => {
    const issue = findInJson('data', { a: { b: { c: 1 } } }, (_value, step) => {
      if (step === 'c') throw new Error('looked below');
      return step === 'b' ? 'is faulty' : undefined;
    });
    expect(issue).to.deep.equal({ path: 'data.a.b', message: 'is faulty' });
  });
});

describe('isReordered', () => {
  for (const name of ['0', '7', '10', '4294967294']) {
    it(`is true for ${name}, which moves ahead of a member sent earlier`, () => {
      expect(Object.keys(JSON.parse(`{"a":1,"${name}":2}`))).to.deep.equal([name, 'a']);
      expect(isReordered(name)).to.equal(true);
    });
  }

  for (const name of ['', 'a', '010', '-1', '1.0', '1e3', '+1', ' 1', '4294967295', '99999999999', '１']) {
    it(`is false for "${name}", which keeps its place`, () => {
      expect(Object.keys(JSON.parse(`{"a":1,"${name}":2}`))).to.include.ordered.members(
        name === 'a' ? ['a'] : ['a', name],
      );
      expect(isReordered(name)).to.equal(false);
    });
  }
});

describe('findReorderedMember', () => {
  it('finds a reordered member at any depth and suggests a fix', () => {
    const body = { a: [{ b: { 10: 'x' } }] };
    const issue = findReorderedMember('data.body', body, 'orText');
    expect(issue?.path).to.equal('data.body.a[0].b["10"]');
    expect(issue?.message).to.match(/integer.*order.*rename it, or send the text to sign as a string$/);
    const { message } = findReorderedMember('data.body', body, 'noText') ?? {};
    expect(message).to.match(/integer.*order.*rename it, as the rule of this platform takes no text/);
  });
});
