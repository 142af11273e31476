import { expect } from 'chai';
import { ok } from '../../../../src/adapters/machine/finding.ts';
import { runChecks } from '../../../../src/app/doctor/run-checks.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';

describe('runChecks', () => {
  it('reports a check that throws, continues, and shows only the code of its error', async () => {
    const breaking = (): never => {
      throw Object.assign(new Error('hunter2'), { code: 'EIO' });
    };
    const findings = await runChecks([
      ['broken', breaking],
      ['broken later', () => Promise.reject(new Error('hunter2'))],
      ['whole', () => ok('whole', 'well')],
    ]);
    expect(findings.map(({ check, state }) => [check, state])).to.deep.equal([
      ['broken', 'fail'],
      ['broken later', 'fail'],
      ['whole', 'ok'],
    ]);
    expect(findings[0]?.message).to.include('EIO');
    expect(JSON.stringify(findings)).to.not.include('hunter2');
  });

  it('shows the message of an error that an operator can resolve, with the remedy of the check', async () => {
    const breaking = (): never => {
      throw new OperatorError('The disk is full.');
    };
    const findings = await runChecks([
      ['own', breaking, 'Buy another.'],
      ['default', breaking],
    ]);
    expect(findings.map(({ state, message, remedy }) => [state, message, remedy])).to.deep.equal([
      ['fail', 'The disk is full.', 'Buy another.'],
      ['fail', 'The disk is full.', 'The service does not start until this is fixed.'],
    ]);
  });
});
