import { expect } from 'chai';
import { logFailures } from '../../../../../src/adapters/http/routes/log-failures.ts';
import { refuse } from '../../../../../src/domain/model/refusal.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const DAMAGED = new Error('A key in memory is damaged and cannot be opened.');
const PURGED = new Error('The key store was purged.');

describe('logFailures', () => {
  const log = new RecordingServiceLog();

  it('logs a line for each cause that callers do not get, with its number, accounts and request', () => {
    const items = [DAMAGED, DAMAGED, PURGED, undefined].map((cause, index) => {
      const ids = { platformId: 'alpha', accountId: `account-${index}` };
      const refusal = cause === undefined ? refuse('AccountNotFound', ids) : refuse('SignatureFailed', ids, cause);
      return { ...ids, refusal };
    });
    logFailures(log, 'Batch items failed.', items, { correlationId: 'order-1' }, 'items');
    logFailures(log, 'Batch items failed.', items, { correlationId: 'order-2' }, 'items');
    const line = (count: number, accounts: readonly string[], cause: Error) => ({
      level: 'error',
      message: 'Batch items failed.',
      facts: {
        ...{ count, items: count, accountCount: accounts.length, accounts },
        ...{ errorCode: 'SIGNATURE_FAILED', correlationId: 'order-1', cause },
      },
    });
    expect(log.events).to.deep.equal([
      line(2, ['alpha/account-0', 'alpha/account-1'], DAMAGED),
      line(1, ['alpha/account-2'], PURGED),
    ]);
  });
});
