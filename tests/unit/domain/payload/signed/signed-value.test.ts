import { expect } from 'chai';
import { Decimal } from '../../../../../src/domain/model/payload.ts';
import {
  Spellings,
  toSignedInteger,
  toSignedNumber,
  UniqueNames,
} from '../../../../../src/domain/payload/signed/signed-value.ts';

describe('toSignedNumber', () => {
  for (const text of ['20', '20.0', '20.000', '2e1', '2E+1', '0.2e2', '2000e-2']) {
    it(`reads ${text} as the whole number 20, unless it has more digits than that`, () => {
      const value = toSignedNumber(text);
      expect(value instanceof Decimal ? value.text : value).to.equal(text === '2000e-2' ? '2000e-2' : 20n);
    });
  }

  for (const text of ['0', '-0', '0.0', '0e5', '0.000e-7']) {
    it(`reads ${text} as 0`, () => {
      expect(toSignedNumber(text)).to.equal(0n);
    });
  }

  it('reads both ends of 64 bits', () => {
    for (const value of [2n ** 63n - 1n, -(2n ** 63n)]) expect(toSignedNumber(String(value))).to.equal(value);
  });

  for (const text of ['9223372036854775808', '-0.10', '1e999999999', '1e-400', '9'.repeat(500)]) {
    it(`keeps ${text.slice(0, 30)} as it is written`, () => {
      const value = toSignedNumber(text);
      expect(value).to.be.instanceOf(Decimal);
      expect((value as Decimal).text).to.equal(text);
    });
  }
});

describe('toSignedInteger', () => {
  it('keeps what 64 bits cannot hold as a decimal', () => {
    expect(toSignedInteger(2n ** 63n - 1n)).to.equal(2n ** 63n - 1n);
    for (const value of [2n ** 256n - 1n, -(2n ** 63n) - 1n]) {
      expect(toSignedInteger(value)).to.deep.equal(new Decimal(String(value)));
    }
  });
});

describe('UniqueNames', () => {
  it('takes names in another case for duplicates, also K and the Kelvin sign, s and the long s', () => {
    for (const [name, other] of [
      ['amount', 'AMOUNT'],
      ['k', '\u212a'],
      ['s', '\u017f'],
    ] as const) {
      const names = new UniqueNames(new Spellings([]));
      names.add(name);
      expect(names.add(other), name).to.equal(false);
    }
  });

  it('rejects names with characters that are not seen', () => {
    for (const name of ['size\u0000', '\u200bsize', '\ufeffsize', 'si\u00adze']) {
      expect(new UniqueNames(new Spellings([])).add(name), JSON.stringify(name)).to.equal(false);
    }
  });

  it('rejects other spellings of names that policies read', () => {
    const names = new UniqueNames(new Spellings(['amount', 'clOrdId']));
    expect(['amount', 'clOrdId', 'Price'].every((name) => names.add(name))).to.equal(true);
    for (const name of ['Amount', 'amount ', 'clordid', 'CLORDID', 'ａｍｏｕｎｔ']) {
      expect(new UniqueNames(new Spellings(['amount', 'clOrdId'])).add(name), name).to.equal(false);
    }
  });

  it('tells other names apart', () => {
    const names = new UniqueNames(new Spellings([]));
    expect(['size', 'Sizes', 's i z e', 'sz'].every((name) => names.add(name))).to.equal(true);
  });
});
