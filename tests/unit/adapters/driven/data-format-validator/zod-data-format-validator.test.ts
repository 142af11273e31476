import { expect } from 'chai';
import { ZodDataFormatValidator } from '../../../../../src/adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { describeDataFormatValidatorContract } from '../../../../contracts/data-format-validator-contract.ts';

describeDataFormatValidatorContract('ZodDataFormatValidator', () => new ZodDataFormatValidator());

describe('messages of ZodDataFormatValidator', () => {
  const validator = new ZodDataFormatValidator();

  it('says that a field is missing and what it must be', () => {
    expect(validator.findIssues('B', {})).to.deep.equal([
      {
        path: 'data.message',
        message:
          'is missing; it must be an object with action, symbol, price, quantity and timestamp, or a non-empty string',
      },
    ]);
  });

  it('says which fault stands inside a message object', () => {
    const message = { action: 'place', symbol: 'ETH', price: 1, quantity: '2' };
    expect(validator.findIssues('B', { message })).to.deep.equal([
      { path: 'data.message.price', message: 'must be a string' },
      {
        path: 'data.message.timestamp',
        message: 'is missing; it must be an integer: milliseconds since 1970-01-01T00:00:00Z',
      },
    ]);
  });

  it('says what a message can be when it is something else', () => {
    const wanted = 'must be an object with action, symbol, price, quantity and timestamp, or a non-empty string';
    for (const message of [5, null, []]) {
      expect(validator.findIssues('B', { message })).to.deep.equal([{ path: 'data.message', message: wanted }]);
    }
  });

  it('says that a message text may not be empty', () => {
    expect(validator.findIssues('B', { message: '' })).to.deep.equal([
      { path: 'data.message', message: 'must be a non-empty string' },
    ]);
  });

  it('says the first of two faults of one field', () => {
    const order = { type: '', market: '', side: '', amount: '', price: '' };
    expect(validator.findIssues('A', { instruction: order, nonce: -1.5 })).to.deep.equal([
      { path: 'data.nonce', message: 'must be an integer: milliseconds since 1970-01-01T00:00:00Z' },
    ]);
  });

  it('shows the form of a timestamp', () => {
    const issues = validator.findIssues('D', { method: 'GET', path: '/a', timestamp: '2024-01-02' });
    expect(issues.map(({ message }) => message)).to.deep.equal([
      'must be a date and time of ISO 8601 in UTC with milliseconds, as in 2026-11-20T09:00:00.000Z',
    ]);
  });
});
