import { expect } from 'chai';
import { dedupeByPath } from '../../../../src/domain/model/refusal.ts';

describe('dedupeByPath', () => {
  it('keeps the first issue of each path, in order', () => {
    const issues = [
      { path: 'b', message: 'one' },
      { path: 'a', message: 'two' },
      { path: 'b', message: 'three' },
      { path: '', message: 'four' },
    ];
    expect(dedupeByPath(issues).map(({ message }) => message)).to.deep.equal(['one', 'two', 'four']);
  });
});
