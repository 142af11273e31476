import { expect } from 'chai';
import request from 'supertest';
import type { BudgetEntry } from '../../../src/domain/model/policy.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_D, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const DAILY: BudgetEntry = {
  name: 'delta-daily',
  accounts: ['delta/*'],
  sum: 'signed.path == "/api/v5/trade/order" ? decimal(signed.body.sz) : decimal(0)',
  max: '3',
  windowSeconds: 86_400,
};

const CONFIGURATION = { platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS };

/** Two of the three that the budget allows. */
const ORDER = { platformId: 'delta', accountId: 'main', data: DATA_D };
const SMALL = { ...ORDER, data: { ...DATA_D, body: { ...DATA_D.body, sz: '0.75' } } };
const CANCEL = { ...ORDER, data: { ...DATA_D, path: '/api/v5/trade/cancel-order' } };
const UNDECIDED = { ...ORDER, data: { ...DATA_D, body: '{"sz":"1","Sz":"2"}' } };

describe('Budgets', () => {
  const service = useNewService(() => startService({ budgets: [DAILY] }));

  const post = (path: string, body: object) => request(service.server).post(path).send(body);

  it('refuse the order that is beyond what is left: 403 BUDGET_EXCEEDED with the name and no value', async () => {
    expectData(await post('/api/v1/sign', ORDER));
    const response = await post('/api/v1/sign', ORDER);
    expect(expectError(response, 403, 'BUDGET_EXCEEDED').details).to.deep.equal({
      ...{ platformId: 'delta', accountId: 'main', principal: 'anonymous' },
      reason: 'OVER_BUDGET',
      budgets: ['delta-daily'],
    });
    const record = service.records.entries.at(-1);
    expect(record).to.deep.include({
      event: 'sign',
      outcome: 'refused',
      errorCode: 'BUDGET_EXCEEDED',
      policy: 'budget:delta-daily',
      signatureDigest: null,
    });
    expectData(await post('/api/v1/sign', SMALL));
    expectData(await post('/api/v1/sign', CANCEL));
    expectData(await post('/api/v1/sign', { platformId: 'alpha', accountId: 'main', data: DATA_A }));
    service.clock.advance(88_000_000);
    expectData(await post('/api/v1/sign', ORDER));
  });

  it('refuse an order whose amount readers could take differently', async () => {
    const { details } = expectError(await post('/api/v1/sign', UNDECIDED), 403, 'BUDGET_EXCEEDED');
    expect(details).to.deep.include({ principal: 'anonymous', reason: 'AMOUNT_UNDECIDED', budgets: ['delta-daily'] });
  });

  it('refuse what cannot be charged: 503 BUDGET_UNAVAILABLE', async () => {
    service.ledger.isAway = true;
    expectError(await post('/api/v1/sign', ORDER), 503, 'BUDGET_UNAVAILABLE');
    expectError(await post('/api/v1/sign?dryRun=true', ORDER), 503, 'BUDGET_UNAVAILABLE');
    expect(service.records.entries.slice(-2).map(({ outcome, errorCode }) => [outcome, errorCode])).to.deep.equal(
      Array(2).fill(['failed', 'BUDGET_UNAVAILABLE']),
    );
    expectData(await post('/api/v1/sign', CANCEL));
  });

  it('are charged item by item in a batch', async () => {
    const requests = [ORDER, ORDER, SMALL, UNDECIDED, CANCEL].map((item, index) => ({
      requestId: `${index}`,
      ...item,
    }));
    const { results } = expectData<{ results: readonly { error?: { code: string } }[] }>(
      await post('/api/v1/sign/batch', { requests }),
    );
    expect(results.map(({ error }) => error?.code ?? null)).to.deep.equal([
      null,
      'BUDGET_EXCEEDED',
      null,
      'BUDGET_EXCEEDED',
      null,
    ]);
  });

  it('charge an order once if a reload comes between its charge and its signature', async () => {
    service.ledger.onCharge = async () => {
      service.ledger.onCharge = () => undefined;
      expectData(await post('/api/v1/config/reload', {}));
    };
    expectData(await post('/api/v1/sign', ORDER));
    expect(service.ledger.calls).to.have.length(1);
    expectData(await post('/api/v1/sign', SMALL));
    expectError(await post('/api/v1/sign', SMALL), 403, 'BUDGET_EXCEEDED');
  });

  it('let a dry run say what they refuse, and take nothing for it', async () => {
    for (let round = 0; round < 3; round += 1) {
      const data = expectData(await post('/api/v1/sign?dryRun=true', ORDER));
      expect(data).to.deep.include({ decision: 'allowed', policies: [] }).and.not.have.property('error');
    }
    expectData(await post('/api/v1/sign', ORDER));
    const data = expectData<{ error: object }>(await post('/api/v1/sign?dryRun=true', ORDER));
    expect(data).to.deep.include({ decision: 'denied', policies: [] });
    expect(service.records.entries.at(-1)).to.deep.include({ outcome: 'success', policy: 'budget:delta-daily' });
    expect(service.records.entries.at(-1)?.data).to.have.property('allowed', false);
    const { message, ...error } = expectError(await post('/api/v1/sign', ORDER), 403, 'BUDGET_EXCEEDED');
    expect(data.error).to.deep.equal({ code: 'BUDGET_EXCEEDED', message, details: error.details });
  });

  it('are not charged for verification', async () => {
    const { signature } = expectData<{ signature: string }>(await post('/api/v1/sign', ORDER));
    expect(expectData(await post('/api/v1/verify', { ...ORDER, signature }))).to.deep.equal({ valid: true });
    expectData(await post('/api/v1/sign', SMALL));
  });

  it('keep what was charged with a reload, whose record has their number and digest', async () => {
    expectData(await post('/api/v1/sign', ORDER));
    service.credentials.contain({ ...CONFIGURATION, budgets: [{ ...DAILY, max: '20' }] });
    expectData(await post('/api/v1/config/reload', {}));
    expect(service.records.entries.at(-1)?.data).to.have.property('budgetCount', 1);
    expect(service.records.entries.at(-1)?.data?.['budgetsDigest']).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(service.metrics.configuration?.policies.budgets.map(({ name }) => name)).to.deep.equal(['delta-daily']);
    for (let nth = 0; nth < 9; nth += 1) expectData(await post('/api/v1/sign', ORDER));
    expectError(await post('/api/v1/sign', ORDER), 403, 'BUDGET_EXCEEDED');
    service.credentials.contain(CONFIGURATION);
    expectData(await post('/api/v1/config/reload', {}));
    expect(service.records.entries.at(-1)?.data).to.deep.include({ budgetCount: 0, budgetsDigest: null });
    expectData(await post('/api/v1/sign', ORDER));
  });

  it('that cannot be decided are refused by a reload, which changes nothing', async () => {
    service.credentials.contain({ ...CONFIGURATION, budgets: [{ ...DAILY, accounts: ['gamma/*'] }] });
    const { details } = expectError(await post('/api/v1/config/reload', {}), 500, 'CONFIG_LOAD_FAILED');
    expect(JSON.stringify(details)).to.include('budgets[0].sum').and.include('have no effect');
    expectData(await post('/api/v1/sign', ORDER));
    expectError(await post('/api/v1/sign', ORDER), 403, 'BUDGET_EXCEEDED');
  });
});
