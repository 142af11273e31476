import { expect } from 'chai';
import { runChecks } from '../../../../src/app/doctor/run-checks.ts';
import { checkTraces } from '../../../../src/app/doctor/traces.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';

const ENDPOINT = 'http://user:Xy7-pass@collector:4318/x';

describe('checkTraces', () => {
  it('names the origin of the endpoint, without a password', async () => {
    expect(await checkTraces({ traceEndpoint: ENDPOINT })).to.deep.equal([
      { check: 'traces', state: 'ok', message: 'sent to http://collector:4318', remedy: null },
    ]);
  });

  it('fails if the packages cannot be loaded', async () => {
    const missing = async () => {
      throw new OperatorError('Install them.');
    };
    const [finding] = await runChecks([['traces', () => checkTraces({ traceEndpoint: ENDPOINT }, missing)]]);
    expect(finding).to.include({ check: 'traces', state: 'fail', message: 'Install them.' });
    expect(finding?.remedy).to.include('does not start');
  });
});
