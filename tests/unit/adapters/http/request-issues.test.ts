import { expect } from 'chai';
import { toBodyIssues } from '../../../../src/adapters/http/request-issues.ts';

describe('toBodyIssues', () => {
  it('formats paths as callers write them', () => {
    const steps = [[], ['accountId'], ['requests', 2, 'data', 'a'], ['odd key']];
    expect(toBodyIssues(steps.map((place) => ({ steps: place, message: 'is wrong' })))).to.deep.equal([
      { path: '', message: 'is wrong' },
      { path: 'accountId', message: 'is wrong' },
      { path: 'requests[2].data.a', message: 'is wrong' },
      { path: '["odd key"]', message: 'is wrong' },
    ]);
  });

  it('names each path once, with its first message', () => {
    const allIssues = ['first', 'second'].map((message) => ({ steps: ['data'], message }));
    expect(toBodyIssues(allIssues)).to.deep.equal([{ path: 'data', message: 'first' }]);
  });
});
