import { expect } from 'chai';
import { refuseBody } from '../../../../src/adapters/http/request-issues.ts';

describe('refuseBody', () => {
  it('names each path once, with its first message', () => {
    const errors = ['first', 'second'].map((message) => ({ steps: ['data'], message }));
    expect(refuseBody(errors).refusal.details).to.deep.equal({ issues: [{ path: 'data', message: 'first' }] });
  });
});
