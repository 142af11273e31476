import { expect } from 'chai';
import { formatUptime } from '../../../../../src/adapters/http/routes/status.ts';

describe('formatUptime', () => {
  const cases: readonly (readonly [milliseconds: number, text: string])[] = [
    [0, '0h 0m 0s'],
    [999.9, '0h 0m 0s'],
    [1000, '0h 0m 1s'],
    [59_999, '0h 0m 59s'],
    [60_000, '0h 1m 0s'],
    [3_599_999, '0h 59m 59s'],
    [3_600_000, '1h 0m 0s'],
    [90_061_000, '25h 1m 1s'],
    [8_640_000_000, '2400h 0m 0s'],
  ];
  for (const [milliseconds, text] of cases) {
    it(`formats ${milliseconds} ms as ${text}`, () => expect(formatUptime(milliseconds)).to.equal(text));
  }
});
