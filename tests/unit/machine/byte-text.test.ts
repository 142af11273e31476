import { expect } from 'chai';
import { byteText } from '../../../src/machine/byte-text.ts';

describe('byteText', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [65_536, '64 KiB'],
    [8_388_608, '8 MiB'],
    [1024 ** 3 - 1, '1023 MiB'],
    [5 * 1024 ** 4, '5 TiB'],
    [5000 * 1024 ** 4, '5000 TiB'],
    [Number.POSITIVE_INFINITY, 'any amount'],
  ];
  for (const [bytes, text] of cases) {
    it(`${bytes} is ${text}`, () => {
      expect(byteText(bytes)).to.equal(text);
    });
  }
});
