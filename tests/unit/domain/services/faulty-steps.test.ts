import { expect } from 'chai';
import { NO_POLICIES, NO_POLICY_APPLIES, type Policies } from '../../../../src/domain/model/policy.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, REQUEST } from './signing-workbench.ts';

/** Its rule takes a value that the account lacks, so that it throws. */
const FAULTY = samplePlatform({
  platformId: 'faulty',
  payload: { rule: 'prehash', template: '{path}{account.apiKey}' },
});

describe('A policy that throws', () => {
  it('fails only its own request of a tick, on record and with no opened key', async () => {
    const bench = createWorkbench();
    const accounts = ['main', 'other'].map((accountId) => bench.enrol({ accountId }, samplePrivateKey(7)));
    const decide: Policies['decide'] = ({ account }) => {
      if (account.accountId === 'main') throw new Error('faulty');
      return NO_POLICY_APPLIES;
    };
    bench.serve([samplePlatform()], accounts, null, { ...NO_POLICIES, decide });
    const requests = ['main', 'other'].map((accountId) => ({ ...REQUEST, accountId }));
    const [failed, signed] = await Promise.all(requests.map((request) => bench.signing.sign(request, CONTEXT)));
    expect(refusalOf(failed ?? expect.fail())).to.deep.include({ code: 'SIGNATURE_FAILED' });
    expect(signed?.ok).to.equal(true);
    expect(bench.sink.entries.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'success']);
    expect(bench.opened).to.have.length(1);
  });
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
    const outcomes = await bench.signing.signAll(items, CONTEXT);
    expect(outcomes.map(({ ok }) => ok)).to.deep.equal([true, false, true]);
    const refusal = refusalOf(outcomes[1] ?? expect.fail());
    expect(refusal).to.deep.include({ code: 'SIGNATURE_FAILED', details: { platformId: 'faulty', accountId: 'main' } });
    expect(String(refusal.cause)).to.include('no value named apiKey');
    expect(bench.sink.entries.map(({ outcome }) => outcome)).to.deep.equal(['success', 'failed', 'success']);
    expect(bench.opened).to.have.length(2);
  });
});
