import { expect } from 'chai';
import { ok, warning } from '../../../../src/adapters/machine/finding.ts';
import { runChecks } from '../../../../src/app/doctor/examine.ts';

describe('runChecks', () => {
  it('keeps the findings in order, of checks with one, many, none, or later', async () => {
    const findings = await runChecks([
      ['one', () => ok('one', 'well')],
      ['none', () => []],
      ['many', () => [warning('two', 'so so', 'mend it'), ok('three', 'well')]],
      ['later', async () => ok('four', 'well')],
    ]);
    expect(findings.map(({ check }) => check)).to.deep.equal(['one', 'two', 'three', 'four']);
  });

  it('makes a finding of a check that breaks, goes on, and shows nothing of its error but the code', async () => {
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
});
