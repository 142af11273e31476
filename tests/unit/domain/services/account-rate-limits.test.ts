import { expect } from 'chai';
import { RATES } from '../../../../src/adapters/limits/ledger-kind.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import type { BatchItem } from '../../../../src/domain/model/sign-request.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { ScriptedWindowLedger } from '../../../doubles/scripted-window-ledger.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, REQUEST, serveMain } from './signing-workbench.ts';

const LIMIT = { points: 3, windowSeconds: 6 };

const item = (requestId: string, accountId = 'main'): BatchItem => ({ ...REQUEST, requestId, accountId });

function limitedBench() {
  const clock = new FixedClock();
  const ledger = new ScriptedWindowLedger(clock, RATES);
  const bench = createWorkbench({ clock, accountLimiter: { ...LIMIT, ledger } });
  const off = { accountId: 'off', status: 'disabled' } as const;
  const accounts = [{}, { accountId: 'spare' }, off].map((fields, index) =>
    bench.enrol(fields, samplePrivateKey(index + 1)),
  );
  bench.serve([samplePlatform()], accounts);
  return { bench, ledger };
}

/** A bench whose limiter responds when a test lets it. */
function delayedBench(limit = LIMIT) {
  const clock = new FixedClock();
  const ledger = new ScriptedWindowLedger(clock, RATES);
  const waiting: (() => void)[] = [];
  ledger.onCharge = () => new Promise<void>((resolve) => waiting.push(resolve));
  const respond = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { bench: serveMain(createWorkbench({ clock, accountLimiter: { ...limit, ledger } })), ledger, respond };
}

describe('Rate limits of accounts', () => {
  describe('of single requests', () => {
    it('apply after the platform, account and status checks, and before data validation', async () => {
      const { bench, ledger } = limitedBench();
      const codeOf = async (fields: object) =>
        refusalOf(await bench.signing.sign({ ...REQUEST, ...fields }, CONTEXT)).code;
      for (let nth = 0; nth < 5; nth += 1) {
        expect(await codeOf({ platformId: 'nowhere' })).to.equal('PLATFORM_NOT_SUPPORTED');
        expect(await codeOf({ accountId: `invented-${nth}` })).to.equal('ACCOUNT_NOT_FOUND');
        expect(await codeOf({ accountId: 'off' })).to.equal('ACCOUNT_INACTIVE');
      }
      expect(ledger.calls).to.deep.equal([]);
      const unsignable = { data: { amount: 2 ** 60 } };
      for (let nth = 0; nth < 3; nth += 1) expect(await codeOf(unsignable)).to.equal('INVALID_DATA_FORMAT');
      expect(await codeOf(unsignable)).to.equal('RATE_LIMITED');
    });

    it('sign with the generation in force after the budget check, not with the previous one', async () => {
      const { bench, ledger, respond } = delayedBench();
      const signed = bench.signing.sign(REQUEST, CONTEXT);
      const before = bench.registry.current;
      const account = bench.enrol({}, samplePrivateKey(9));
      bench.registry.replace(new Registry([samplePlatform()], [account]), '2026-11-20T09:00:00.000Z');
      bench.keyStore.discard(before.accounts()[0]?.key ?? expect.fail());
      while (ledger.calls.length === 0) await isSettled(signed);
      respond();
      expect(acceptedValue(await signed).publicKey).to.equal(account.publicKey);
    });
  });

  it('refuse after the checks before them, under the generation in force after the budget check', async () => {
    const { bench, respond } = delayedBench();
    const attempts = Array.from({ length: 4 }, () => bench.signing.sign(REQUEST, CONTEXT));
    bench.serve([samplePlatform()], [], []);
    while (!(await isSettled(Promise.all(attempts)))) respond();
    const codes = (await Promise.all(attempts)).map((outcome) => refusalOf(outcome).code);
    expect(codes).to.deep.equal(Array(4).fill('ACCOUNT_NOT_FOUND'));
  });

  describe('of batches', () => {
    it('check the budgets of many accounts in few calls, and apply each result to its items', async () => {
      const { bench, ledger, respond } = delayedBench({ points: 1, windowSeconds: 60 });
      const names = Array.from({ length: 250 }, (_, nth) => `account-${nth}`);
      const accounts = names.map((accountId) => bench.enrol({ accountId }, samplePrivateKey(1)));
      bench.serve([samplePlatform()], accounts);
      const items = names.flatMap((name, nth) =>
        (nth % 50 === 0 ? [item(`${name}-1`, name)] : []).concat(item(name, name)),
      );
      const batch = bench.signing.signAll(items, CONTEXT);
      while (!(await isSettled(batch))) respond();
      const outcomes = await batch;
      const failed = items.filter((_, index) => outcomes[index]?.ok === false).map(({ requestId }) => requestId);
      expect(failed).to.deep.equal(names.filter((_, nth) => nth % 50 === 0));
      expect(ledger.calls.map(({ length }) => length)).to.deep.equal([100, 100, 50]);
    });

    it('do not find an account that a reload removed during the budget check', async () => {
      const { bench, respond } = delayedBench();
      const batch = bench.signing.signAll([item('r-1')], CONTEXT);
      bench.serve([samplePlatform()], []);
      while (!(await isSettled(batch))) respond();
      const [outcome = expect.fail()] = await batch;
      expect(refusalOf(outcome).code).to.equal('ACCOUNT_NOT_FOUND');
    });

    it('refuse an account without a budget that was enabled after budgets were taken', async () => {
      const { bench, ledger, respond } = delayedBench();
      const main = bench.registry.current.account('alpha', 'main') ?? expect.fail();
      const spare = bench.enrol({ accountId: 'spare' }, samplePrivateKey(2));
      bench.serve([samplePlatform()], [main, { ...spare, status: 'disabled' }]);
      const batch = bench.signing.signAll([item('r-1'), item('r-2', 'spare')], CONTEXT);
      while (ledger.calls.length === 0) await isSettled(batch);
      bench.serve([samplePlatform()], [main, spare]);
      respond();
      const outcomes = (await batch).map((outcome) => (outcome.ok ? 'signed' : outcome.refusal.code));
      expect(outcomes).to.deep.equal(['signed', 'ACCOUNT_INACTIVE']);
    });
  });
});
