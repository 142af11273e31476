import { expect } from 'chai';
import { bodyIssues, MAX_ISSUES } from '../../../../../src/adapters/driving/http/body-issues.ts';

describe('bodyIssues', () => {
  it('writes places as callers write them', () => {
    const steps = [[], ['accountId'], ['requests', 2, 'data', 'a'], ['odd key']];
    expect(bodyIssues(steps.map((place) => ({ steps: place, message: 'is wrong' })))).to.deep.equal([
      { path: '', message: 'is wrong' },
      { path: 'accountId', message: 'is wrong' },
      { path: 'requests[2].data.a', message: 'is wrong' },
      { path: '["odd key"]', message: 'is wrong' },
    ]);
  });

  it('names each place once, with what was said first', () => {
    const faults = ['first', 'second'].map((message) => ({ steps: ['data'], message }));
    expect(bodyIssues(faults)).to.deep.equal([{ path: 'data', message: 'first' }]);
  });

  it('names 20 at the most', () => {
    const faults = Array.from({ length: 30 }, (_, index) => ({ steps: ['requests', index], message: 'is wrong' }));
    const issues = bodyIssues(faults);
    expect(issues).to.have.lengthOf(20).and.lengthOf(MAX_ISSUES);
    expect(issues.at(-1)?.path).to.equal('requests[19]');
  });
});
