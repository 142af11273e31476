import { expect } from 'chai';
import { parseExpirationTime } from '../../../../src/domain/model/access-token.ts';

describe('parseExpirationTime', () => {
  it('takes a time in UTC, with milliseconds or without', () => {
    expect(parseExpirationTime('2027-01-31T23:59:59Z')).to.equal(Date.UTC(2027, 0, 31, 23, 59, 59));
    expect(parseExpirationTime('2027-01-31T23:59:59.000Z')).to.equal(Date.UTC(2027, 0, 31, 23, 59, 59));
    expect(parseExpirationTime('2028-02-29T00:00:00.250Z')).to.equal(Date.UTC(2028, 1, 29, 0, 0, 0, 250));
  });

  for (const text of [
    '',
    '2027-01-31',
    '2027-01-31T23:59:59',
    '2027-01-31T23:59Z',
    '2027-01-31 23:59:59Z',
    '2027-01-31t23:59:59z',
    '2027-01-31T23:59:59+00:00',
    '2027-01-31T23:59:59.5Z',
    '2027-01-31T23:59:59.0000Z',
    '2027-02-29T00:00:00Z',
    '2027-04-31T00:00:00Z',
    '2027-13-01T00:00:00Z',
    '2027-00-01T00:00:00Z',
    '2027-01-31T24:00:00Z',
    '2027-01-31T23:60:00Z',
    '2016-12-31T23:59:60Z',
    ' 2027-01-31T23:59:59Z',
    '2027-01-31T23:59:59Z\n',
    '+002027-01-31T23:59:59Z',
  ]) {
    it(`does not take ${JSON.stringify(text)}`, () => {
      expect(parseExpirationTime(text)).to.equal(null);
    });
  }
});
