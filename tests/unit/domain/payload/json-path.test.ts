import { expect } from 'chai';
import { jsonPath } from '../../../../src/domain/payload/json-path.ts';

describe('jsonPath', () => {
  it('joins plain names with dots and puts indexes in brackets', () => {
    expect(jsonPath('data', ['instruction', 'price'])).to.equal('data.instruction.price');
    expect(jsonPath('data', ['items', 3, '$ref_1'])).to.equal('data.items[3].$ref_1');
  });

  it('is the root alone where there is no step', () => {
    expect(jsonPath('data', [])).to.equal('data');
  });

  it('quotes names that are no identifiers', () => {
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

  it('cuts a name after 64 characters', () => {
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
