import bs58 from 'bs58';
import { expect } from 'chai';
import fc from 'fast-check';
import { base58Text } from '../../../../../src/adapters/driven/signer/base58-text.ts';

describe('base58Text', () => {
  it('writes the examples of the Internet-Draft', () => {
    // https://datatracker.ietf.org/doc/html/draft-msporny-base58-03#section-5
    const examples: readonly (readonly [Buffer, string])[] = [
      [Buffer.from('Hello World!'), '2NEpo7TZRRrLZSi2U'],
      [
        Buffer.from('The quick brown fox jumps over the lazy dog.'),
        'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z',
      ],
      [Buffer.from('0000287fb4cd', 'hex'), '11233QC4'],
    ];
    for (const [bytes, text] of examples) expect(base58Text(bytes)).to.equal(text);
  });

  it('writes what bs58 writes, of any bytes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 80 }), (zeros, rest) => {
        const bytes = Buffer.concat([Buffer.alloc(zeros), rest]);
        expect(base58Text(bytes)).to.equal(bs58.encode(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('writes the largest and the smallest values of every length', () => {
    for (let length = 0; length <= 80; length += 1) {
      for (const fill of [0, 1, 0x7f, 0x80, 0xff]) {
        const bytes = Buffer.alloc(length, fill);
        expect(base58Text(bytes)).to.equal(bs58.encode(bytes));
      }
    }
  });
});
