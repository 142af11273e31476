import { expect } from 'chai';
import { TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { BudgetEntry, Policies } from '../../../../src/domain/model/policy.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, SIGNERS, SigningWorkbench } from './signing-workbench.ts';

const SUM = 'decimal(signed.message.sz) * decimal(signed.message.px)';
const DAILY: BudgetEntry = { name: 'daily', accounts: ['alpha/main'], sum: SUM, max: '1000.5', windowSeconds: 86_400 };
const COUNT: BudgetEntry = { name: 'count', accounts: ['alpha/*'], sum: '1', max: 3, windowSeconds: 60 };

const order = (sz: string, px = '1', accountId = 'main') => ({
  ...{ platformId: 'alpha', accountId },
  data: { sz, px } as JsonObject,
});

async function compile(bench: Pick<SigningWorkbench, 'clock'>, ...budgets: readonly BudgetEntry[]) {
  const compiled = await policyCompiler().compile([], [samplePlatform()], new TimeSlice(bench.clock), budgets);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
  return compiled.value;
}

/** A workbench whose accounts `main` and `other` have these budgets. */
async function withBudgets(bench: SigningWorkbench, ...budgets: readonly BudgetEntry[]): Promise<SigningWorkbench> {
  const accounts = [bench.enrol({}, samplePrivateKey(1)), bench.enrol({ accountId: 'other' }, samplePrivateKey(2))];
  const serve = (policies: Policies) => bench.serve([samplePlatform()], accounts, null, policies);
  serve(await compile(bench, ...budgets));
  return bench;
}

describe('Budgets of accounts', () => {
  const sign = (bench: SigningWorkbench, sz: string, px?: string, accountId?: string) =>
    bench.signing.sign(order(sz, px, accountId), CONTEXT);
  const codeOf = async (...call: Parameters<typeof sign>) => {
    const outcome = await sign(...call);
    return outcome.ok ? 'signed' : outcome.refusal.code;
  };

  it('sign up to the exact maximum, and refuse what is beyond, without opening a key', async () => {
    const bench = await withBudgets(createWorkbench(), DAILY);
    acceptedValue(await sign(bench, '0.1', '3000'));
    acceptedValue(await sign(bench, '700.4999999'));
    expect(bench.opened).to.have.length(2);
    const refusal = refusalOf(await sign(bench, '0.0000002'));
    expect(refusal.code).to.equal('BUDGET_EXCEEDED');
    expect(refusal.details).to.deep.equal({
      ...{ platformId: 'alpha', accountId: 'main', principal: 'desk-7' },
      reason: 'OVER_BUDGET',
      budgets: ['daily'],
    });
    expect(bench.opened).to.have.length(2);
    acceptedValue(await sign(bench, '0.0000001'));
    expect(await codeOf(bench, '0.0000000001')).to.equal('BUDGET_EXCEEDED');
  });

  it('refuse an amount that is no number, without its value', async () => {
    const bench = await withBudgets(createWorkbench(), DAILY, COUNT);
    const refusal = refusalOf(await sign(bench, 'many'));
    expect(refusal.code).to.equal('BUDGET_EXCEEDED');
    expect(refusal.details).to.deep.include({ reason: 'AMOUNT_UNDECIDED', budgets: ['daily'] });
    expect(JSON.stringify(refusal)).not.to.include('many');
    expect([bench.opened, bench.budgets.calls]).to.deep.equal([[], []]);
  });

  it('take nothing for an amount of zero, also when nothing is left or can be asked', async () => {
    const bench = await withBudgets(createWorkbench(), DAILY);
    acceptedValue(await sign(bench, '1000.5'));
    expect(await codeOf(bench, '1')).to.equal('BUDGET_EXCEEDED');
    bench.budgets.isAway = true;
    expect(await codeOf(bench, '0')).to.equal('signed');
    expect(await codeOf(bench, '-0.0')).to.equal('signed');
  });

  it('are refunded when the signer fails', async () => {
    let isFaulty = true;
    const ed25519 = alteredSigner(SIGNERS.ed25519, {
      sign: (key, message, encoding) => {
        if (isFaulty) throw new Error('faulty');
        return SIGNERS.ed25519.sign(key, message, encoding);
      },
    });
    const bench = await withBudgets(createWorkbench({ signers: { ...SIGNERS, ed25519 } }), DAILY);
    for (let nth = 0; nth < 3; nth += 1) expect(await codeOf(bench, '1000')).to.equal('SIGNATURE_FAILED');
    isFaulty = false;
    expect(await codeOf(bench, '1000')).to.equal('signed');
    expect(await codeOf(bench, '1000')).to.equal('BUDGET_EXCEEDED');
  });

  it('are refunded when the record cannot be written, so that nothing is released', async () => {
    const sink = new FailingAuditSink();
    const bench = new SigningWorkbench({ makeSink: () => sink });
    Object.defineProperty(sink, 'available', { value: true });
    const accounts = [bench.enrol({}, samplePrivateKey(1))];
    bench.serve([samplePlatform()], accounts, null, await compile(bench, DAILY));
    for (let nth = 0; nth < 3; nth += 1) {
      const { details } = refusalOf(await bench.signing.sign(order('1000'), CONTEXT));
      expect(details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
    }
    const { grants: [grant] = [] } = (await bench.budgets.charge(bench.budgets.calls.at(-1) ?? [])) ?? {};
    expect(grant).to.include({ isRefused: false });
  });

  describe('that a reload changes between the charge of a request and its signature', () => {
    const change = (bench: SigningWorkbench, reload: () => void | Promise<void>) => {
      bench.budgets.onCharge = async () => {
        bench.budgets.onCharge = () => undefined;
        await reload();
      };
    };
    const replaced =
      (bench: SigningWorkbench, ...budgets: readonly BudgetEntry[]) =>
      async () =>
        bench.serve([samplePlatform()], bench.registry.current.accounts(), null, await compile(bench, ...budgets));

    it('deny a dry run as before, although nothing of it is charged', async () => {
      const bench = await withBudgets(createWorkbench(), DAILY);
      const charge = bench.budgets.charge.bind(bench.budgets);
      bench.budgets.charge = async (demands) => {
        const charged = await charge(demands);
        await replaced(bench, DAILY)();
        return charged;
      };
      const { refusal } = acceptedValue(await bench.signing.dryRun(order('1001'), CONTEXT));
      expect(refusal?.code).to.equal('BUDGET_EXCEEDED');
      expect(bench.sink.entries.at(-1)).to.deep.include({ policy: 'budget:daily' });
    });

    it('are refunded if the account may not sign any more', async () => {
      const bench = await withBudgets(createWorkbench(), DAILY);
      const { current } = bench.registry;
      change(bench, () => {
        const disabled = { ...current.accounts()[0], status: 'disabled' } as never;
        bench.serve([samplePlatform()], [disabled], null, current.policies);
      });
      expect(await codeOf(bench, '1000')).to.equal('ACCOUNT_INACTIVE');
      expect(bench.opened).to.deep.equal([]);
      bench.registry.replace(current, '2026-11-20T08:49:00.000Z');
      expect(await codeOf(bench, '1000')).to.equal('signed');
    });

    it('refuse it if it is beyond the new maximum, and keep what others were charged', async () => {
      const bench = await withBudgets(createWorkbench(), DAILY);
      expect(await codeOf(bench, '0.5')).to.equal('signed');
      change(bench, replaced(bench, { ...DAILY, max: '999' }));
      expect(await codeOf(bench, '1000')).to.equal('BUDGET_EXCEEDED');
      expect(bench.opened).to.have.length(1);
      expect([await codeOf(bench, '998.6'), await codeOf(bench, '998.5')]).to.deep.equal(['BUDGET_EXCEEDED', 'signed']);
    });

    it('are charged as the new configuration says, and the former charge is refunded', async () => {
      const bench = await withBudgets(createWorkbench(), DAILY);
      for (const budgets of [[{ ...DAILY, name: 'other' }], []]) {
        await replaced(bench, DAILY)();
        change(bench, replaced(bench, ...budgets));
        expect(await codeOf(bench, '1000')).to.equal('signed');
      }
      await replaced(bench, DAILY)();
      expect(await codeOf(bench, '1000')).to.equal('signed');
      await replaced(bench, { ...DAILY, name: 'other' })();
      expect(await codeOf(bench, '1')).to.equal('BUDGET_EXCEEDED');
    });
  });

  it('charge a large batch of several accounts', async () => {
    const bench = await withBudgets(createWorkbench(), { ...COUNT, max: 200 });
    const items = Array.from({ length: 500 }, (_, index) => {
      return { ...order('1', '1', index % 2 === 0 ? 'main' : 'other'), requestId: String(index) };
    });
    const outcomes = await bench.signing.signAll(items, CONTEXT);
    expect(outcomes.map(({ ok }) => ok)).to.deep.equal(items.map((_, index) => index < 400));
  });
});
