import { expect } from 'chai';
import fc from 'fast-check';
import { formatTime, parseIsoTime } from '../../../../../src/domain/model/text/iso-time.ts';

describe('formatTime', () => {
  it('formats like Date, regardless of previous calls', () => {
    const moment = fc.oneof(
      fc.constantFrom(0, -0, 1_763_628_540_123, 1_763_628_540_123.9, -1),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        for (const each of moments) expect(formatTime(each)).to.equal(new Date(each).toISOString());
      }),
    );
  });

  it('rejects invalid times, also when repeated', () => {
    for (const none of [Number.NaN, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e300]) {
      expect(() => formatTime(none), String(none)).to.throw(RangeError);
    }
    expect(formatTime(0)).to.equal('1970-01-01T00:00:00.000Z');
  });
});

describe('parseIsoTime', () => {
  it('parses a time in UTC, with milliseconds or without', () => {
    expect(parseIsoTime('2027-01-31T23:59:59Z')).to.equal(Date.UTC(2027, 0, 31, 23, 59, 59));
    expect(parseIsoTime('2027-01-31T23:59:59.000Z')).to.equal(Date.UTC(2027, 0, 31, 23, 59, 59));
    expect(parseIsoTime('2028-02-29T00:00:00.250Z')).to.equal(Date.UTC(2028, 1, 29, 0, 0, 0, 250));
  });

  it('rejects other forms, and days and times that do not exist', () => {
    const forms = ['', '2027-01-31', '2027-01-31T23:59:59', '2027-01-31 23:59:59Z', '2027-01-31T23:59:59+00:00'];
    const texts = [
      '2027-01-31T23:59:59.5Z',
      ' 2027-01-31T23:59:59Z',
      '2027-01-31T23:59:59Z\n',
      '+002027-01-31T23:59:59Z',
    ];
    const moments = ['2027-02-29T00:00:00Z', '2027-13-01T00:00:00Z', '2027-01-31T24:00:00Z', '2016-12-31T23:59:60Z'];
    for (const text of [...forms, ...texts, ...moments]) expect(parseIsoTime(text), text).to.equal(null);
  });
});
