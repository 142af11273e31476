import { expect } from 'chai';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createDelayedWorkbench, REQUEST } from './signing-workbench.ts';

describe('DryRunService', () => {
  it('responds only once the record is durable, with no payload otherwise', async () => {
    for (const isDurable of [true, false]) {
      const bench = createDelayedWorkbench();
      const response = bench.signing.dryRun(REQUEST, CONTEXT);
      expect(await isSettled(response)).to.equal(false);
      if (isDurable) bench.sink.succeed();
      else bench.sink.fail();
      const outcome = await response;
      if (isDurable) expect(acceptedValue(outcome).payload.text).to.equal('{"a":1}');
      else expect(refusalOf(outcome).details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    }
  });
});
