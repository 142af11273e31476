import { expect } from 'chai';
import { parseSince } from '../../../../../src/adapters/cli/audit.ts';

const NOW = Date.parse('2026-11-20T12:00:00.500Z');

describe('audit tail --since', () => {
  for (const [text, time] of [
    ['30s', '2026-11-20T11:59:30.500Z'],
    ['1w', '2026-11-13T12:00:00.500Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['2026-11-20T08:49', '2026-11-20T08:49:00.000Z'],
    ['2026-11-20 08:49:01', '2026-11-20T08:49:01.000Z'],
    ['2026-11-20T08:49+01:00', '2026-11-20T07:49:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ] as const) {
    it(`takes ${text}, a duration before now or a UTC time`, () => {
      expect(parseSince(text, NOW)).to.equal(time);
    });
  }

  for (const text of [
    ...['', '15', 'm', '-5m', '1.5h', '1h30m', '9999999d', '2026-11', ' 15m', '2026-02-29', '2026-13-01'],
    ...['2026-11-20T25:00', '2026-11-20T08:60', '2026-11-20T08:49+25:00', '2026-11-20T08:49Z\n'],
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseSince(text, NOW)).to.equal(null);
    });
  }
});
