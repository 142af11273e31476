import { expect } from 'chai';
import { toBodyIssues } from '../../../../src/adapters/http/request-issues.ts';

describe('toBodyIssues', () => {
  it('names each path once, with its first message', () => {
    const allIssues = ['first', 'second'].map((message) => ({ steps: ['data'], message }));
    expect(toBodyIssues(allIssues)).to.deep.equal([{ path: 'data', message: 'first' }]);
  });
});
