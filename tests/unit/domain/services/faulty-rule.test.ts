import { expect } from 'chai';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, REQUEST } from './signing-workbench.ts';

/** Its rule takes a value that the account lacks, so that it throws. */
const FAULTY = samplePlatform({
  platformId: 'faulty',
  payload: { rule: 'prehash', template: '{path}{account.apiKey}' },
});

describe('A payload rule that throws', () => {
  const faulty = { platformId: 'faulty', accountId: 'main', data: { path: '/a' } };

  function workbench() {
    const bench = createWorkbench();
    const accounts = ['alpha', 'faulty'].map((platformId) => bench.enrol({ platformId }, samplePrivateKey(7)));
    bench.serve([samplePlatform(), FAULTY], accounts);
    return bench;
  }

  it('fails only its own item of a batch, with its cause for the log, a record and no opened key', async () => {
    const bench = workbench();
    const items = [REQUEST, faulty, REQUEST].map((request, index) => ({ ...request, requestId: `r-${index}` }));
    const { results, summary } = await bench.batches.signAll(items, CONTEXT);
    expect(summary).to.deep.equal({ total: 3, successful: 2, failed: 1 });
    const refusal = refusalOf(results[1]?.outcome ?? expect.fail());
    expect(refusal).to.deep.include({ code: 'SIGNATURE_FAILED', details: { platformId: 'faulty', accountId: 'main' } });
    expect(String(refusal.cause)).to.include('no value named apiKey');
    expect(bench.sink.entries.map(({ outcome }) => outcome)).to.deep.equal(['success', 'failed', 'success']);
    expect(bench.opened).to.have.length(2);
  });
});
