import { expect } from 'chai';
import { findInJson } from '../../../../src/domain/payload/find-in-json.ts';

describe('findInJson', () => {
  it('shows each value with its step and depth, parents before children, in the order sent', () => {
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

  it('gives the first fault with its path', () => {
    const issue = findInJson('body', { a: [0, { b: 'bad' }], c: 'bad' }, (value) =>
      value === 'bad' ? 'must be good' : undefined,
    );
    expect(issue).to.deep.equal({ path: 'body.a[1].b', message: 'must be good' });
  });

  it('looks at nothing below a faulty value', () => {
    const issue = findInJson('data', { a: { b: { c: 1 } } }, (_value, step) => {
      if (step === 'c') throw new Error('looked below');
      return step === 'b' ? 'is faulty' : undefined;
    });
    expect(issue).to.deep.equal({ path: 'data.a.b', message: 'is faulty' });
  });

  it('gives nothing for a document without fault', () => {
    expect(findInJson('data', { a: [true, null] }, () => undefined)).to.equal(undefined);
  });
});
