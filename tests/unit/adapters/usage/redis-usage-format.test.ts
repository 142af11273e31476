import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  isAccountField,
  isReplicaName,
  parseSummary,
  parseUsage,
} from '../../../../src/adapters/usage/redis-usage-format.ts';

describe('Values in Redis', () => {
  it('are null for anything else', () => {
    for (const value of [null, 1, ['1,,1'], '', 'text']) {
      expect([parseUsage(value), parseSummary(value)]).to.deep.equal([null, null]);
      expect(isAccountField(value)).to.equal(false);
    }
    const wrong = ['1,,1\n', ' 1,,1', '-1,,0', '1e3,,0', '1.5,,0', '1,,1,1', `1,${'2026-11-20'},1`, '1234567890123,,0'];
    for (const text of wrong) expect(parseUsage(text), text).to.equal(null);
    const writeId = randomUUID();
    for (const totals of ['1', '1,', '1,1\n', '-1,0', '1,1,1', '1e3,0', '1234567890123,0']) {
      for (const text of [totals, `${totals},${writeId}`]) {
        expect(parseSummary(text), text).to.equal(null);
      }
    }
    for (const text of [`1,1,${writeId}0`, `1,1,${writeId}\n`, '1,1,incomplete']) {
      expect(parseSummary(text), text).to.equal(null);
    }
    for (const text of ['a/b/c', '/b', 'a/', 'a', 'a/b\n', 'a/ b', `a/${'b'.repeat(129)}`]) {
      expect(isAccountField(text), text).to.equal(false);
    }
    for (const text of ['', '-a', 'a b', 'a/b', 'a'.repeat(129), null, 7]) expect(isReplicaName(text)).to.equal(false);
  });
});
