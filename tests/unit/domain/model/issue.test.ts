import { expect } from 'chai';
import { onePerPath } from '../../../../src/domain/model/issue.ts';

describe('onePerPath', () => {
  it('keeps the first issue of each path, in their order', () => {
    const issues = [
      { path: 'b', message: 'one' },
      { path: 'a', message: 'two' },
      { path: 'b', message: 'three' },
      { path: '', message: 'four' },
    ];
    expect(onePerPath(issues).map(({ message }) => message)).to.deep.equal(['one', 'two', 'four']);
  });
});
