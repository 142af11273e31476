import { expect } from 'chai';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench } from './signing-workbench.ts';

/** Takes a value that the account lacks, so that the rule throws. */
const FAULTY: Platform = samplePlatform({
  platformId: 'faulty',
  payload: { rule: 'prehash', template: '{path}{account.apiKey}' },
});

describe('A payload rule that throws', () => {
  function bench() {
    const made = createWorkbench();
    made.serve(
      [samplePlatform(), FAULTY],
      [made.enrol({}, samplePrivateKey(7)), made.enrol({ platformId: 'faulty' }, samplePrivateKey(8))],
    );
    return made;
  }

  const faulty = { platformId: 'faulty', accountId: 'main', data: { path: '/a' } };
  const good = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

  it('fails the signature, with its cause for the log and an audit record', async () => {
    const { signing, sink, opened } = bench();
    const refusal = refusalOf(await signing.sign(faulty, CONTEXT));
    expect(refusal).to.deep.include({ code: 'SIGNATURE_FAILED', details: { platformId: 'faulty', accountId: 'main' } });
    expect(String(refusal.cause)).to.include('no value named apiKey');
    expect(sink.entries).to.have.lengthOf(1);
    expect(sink.entries[0]).to.include({ event: 'sign', outcome: 'failed', errorCode: 'SIGNATURE_FAILED' });
    expect(opened).to.deep.equal([]);
  });

  it('fails only its own item of a batch', async () => {
    const { batches, sink } = bench();
    const items = [good, faulty, good].map((request, index) => ({ ...request, requestId: `r-${index}` }));
    const { results, summary } = await batches.signAll(items, CONTEXT);
    expect(results.map(({ outcome }) => outcome.ok)).to.deep.equal([true, false, true]);
    expect(summary).to.deep.equal({ total: 3, successful: 2, failed: 1 });
    expect(sink.entries.map(({ outcome }) => outcome)).to.have.members(['success', 'failed', 'success']);
  });

  it('fails a verification, with an audit record', async () => {
    const { verification, sink } = bench();
    const refusal = refusalOf(await verification.verify({ ...faulty, signature: 'x' }, CONTEXT));
    expect(refusal.code).to.equal('SIGNATURE_FAILED');
    expect(sink.entries.at(-1)).to.include({ event: 'verify', outcome: 'failed', errorCode: 'SIGNATURE_FAILED' });
  });

  it('does not affect later requests', async () => {
    const { signing } = bench();
    refusalOf(await signing.sign(faulty, CONTEXT));
    expect(acceptedValue(await signing.sign(good, CONTEXT)).payload.text).to.equal('{"a":1}');
  });
});
