import { expect } from 'chai';
import fc from 'fast-check';
import { FELT_PRIME, parseFelt, parseStarknetAddress } from '../../../../../src/domain/payload/typed-data/starknet.ts';

function ascii(text: string): bigint {
  return BigInt(`0x${Buffer.from(text, 'latin1').toString('hex')}`);
}

describe('parseFelt', () => {
  it('rejects text that libraries read differently, and what is no felt', () => {
    const wrong = ['007', '-5', '+5', ' 5', '5 ', ' ', '0b1', '0o7', '0X1f', '0x', '0xzz', 'z'.repeat(32), 'é', 'a\n'];
    for (const value of [
      ...wrong,
      -1,
      1.5,
      2 ** 53,
      String(FELT_PRIME),
      `0x${'f'.repeat(64)}`,
      true,
      null,
      [],
      {},
      undefined,
    ]) {
      expect(parseFelt(value), JSON.stringify(value)).to.equal(undefined);
    }
  });

  it('agrees with BigInt for every text that it reads as a number or that BigInt does not', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abxXoO-+ .'), maxLength: 8 }), (text) => {
        const felt = parseFelt(text);
        if (felt === undefined) return;
        let number: bigint | undefined;
        try {
          number = BigInt(text);
        } catch {
          number = ascii(text);
        }
        expect(felt, JSON.stringify(text)).to.equal(number);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('parseStarknetAddress', () => {
  it('reads 0x and up to 64 hex digits, from 1 to below 2^251 - 256', () => {
    expect(parseStarknetAddress('0x1')).to.equal(1n);
    expect(parseStarknetAddress(`0x${'0'.repeat(63)}A`)).to.equal(10n);
    expect(parseStarknetAddress(`0x${(2n ** 251n - 257n).toString(16)}`)).to.equal(2n ** 251n - 257n);
    const wrong = ['', '0x', '0x0', '1', '0X1', '0xg', `0x${'0'.repeat(65)}`, `0x${(2n ** 251n - 256n).toString(16)}`];
    for (const text of wrong) expect(parseStarknetAddress(text), text).to.equal(undefined);
  });
});
