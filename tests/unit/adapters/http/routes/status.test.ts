import { expect } from 'chai';
import { formatUptime } from '../../../../../src/adapters/http/routes/status.ts';

describe('formatUptime', () => {
  it('formats hours, minutes and whole seconds', () => {
    for (const [milliseconds, text] of [
      [999.9, '0h 0m 0s'],
      [59_999, '0h 0m 59s'],
      [3_599_999, '0h 59m 59s'],
      [90_061_000, '25h 1m 1s'],
    ] as const) {
      expect(formatUptime(milliseconds)).to.equal(text);
    }
  });
});
