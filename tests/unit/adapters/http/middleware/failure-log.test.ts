import { mock } from 'node:test';
import { expect } from 'chai';
import { FailureLog } from '../../../../../src/adapters/http/middleware/failure-log.ts';
import { refuse } from '../../../../../src/domain/model/refusal.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const MINUTE_MS = 60_000;
const DAMAGED = new Error('A key in memory is damaged and cannot be opened.');
const PURGED = new Error('The key store was purged.');

describe('FailureLog', () => {
  let log: RecordingServiceLog;
  let failures: FailureLog;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    log = new RecordingServiceLog();
    failures = new FailureLog(log, 'Signing request failed.');
  });
  afterEach(() => mock.timers.reset());

  const refused = (accountId: string, cause: unknown) => ({
    ...{ platformId: 'alpha', accountId },
    refusal: refuse('SignatureFailed', { platformId: 'alpha', accountId }, cause),
  });
  const fail = (accountId: string, correlationId: string, cause: unknown = DAMAGED) =>
    failures.failed([refused(accountId, cause)], { correlationId });

  it('logs one line a minute for one cause, with its number, accounts and latest request', () => {
    for (let nth = 0; nth < 1000; nth += 1) fail(`account-${nth % 200}`, `order-${nth}`);
    expect(log.events.map(({ level, message }) => `${level} ${message}`)).to.deep.equal([
      'error Signing request failed.',
    ]);
    expect(log.events[0]?.facts).to.deep.equal({
      ...{ count: 1, accountCount: 1, accounts: ['alpha/account-0'] },
      ...{ errorCode: 'SIGNATURE_FAILED', correlationId: 'order-0', cause: DAMAGED },
    });
    mock.timers.tick(MINUTE_MS);
    expect(log.events).to.have.length(2);
    expect(log.events[1]?.facts).to.deep.equal({
      ...{ count: 999, accountCount: 200, accounts: ['alpha/account-1', 'alpha/account-2', 'alpha/account-3'] },
      ...{ errorCode: 'SIGNATURE_FAILED', correlationId: 'order-999', cause: DAMAGED },
    });
  });

  it('logs another cause at once', () => {
    fail('main', 'order-1');
    fail('main', 'order-2', PURGED);
    expect(log.events.map(({ facts }) => facts['cause'])).to.deep.equal([DAMAGED, PURGED]);
  });

  it('ignores refusals whose reason the caller gets', () => {
    const refusal = refuse('AccountNotFound', { platformId: 'alpha', accountId: 'main' });
    failures.failed([{ platformId: 'alpha', accountId: 'main', refusal }], { correlationId: 'order-1' });
    expect(log.events).to.deep.equal([]);
  });
});
