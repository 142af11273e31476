import bs58 from 'bs58';
import { expect } from 'chai';
import { decodeBase58 as ethersDecodeBase58, toBeHex } from 'ethers';
import fc from 'fast-check';
import { decodeBase58 } from '../../../../src/adapters/key-files/base58.ts';
import { decodedText, succeeds, thrownBy } from './decoder-outcomes.ts';

const decode = (text: string | Uint8Array, capacity?: number): Buffer => decodedText(decodeBase58, text, capacity);

describe('decodeBase58', () => {
  it('decodes the output of bs58, with or without a final newline', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: 8 }),
        fc.uint8Array({ minLength: 1, maxLength: 56 }),
        fc.constantFrom('', '\n', '\r\n'),
        (zeros, bytes, newline) => {
          const content = Buffer.concat([Buffer.alloc(zeros), bytes]);
          expect(decode(`${bs58.encode(content)}${newline}`).equals(content)).to.equal(true);
        },
      ),
    );
  });

  it('decodes to the same number as ethers', () => {
    const digits = fc.constantFrom(...'23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz');
    fc.assert(
      fc.property(fc.string({ unit: digits, minLength: 1, maxLength: 60 }), (text) => {
        expect(`0x${decode(text).toString('hex')}`).to.equal(toBeHex(ethersDecodeBase58(text)));
      }),
    );
  });

  it('decodes the vectors of draft-msporny-base58-03 §5', () => {
    expect(decode('2NEpo7TZRRrLZSi2U').toString()).to.equal('Hello World!');
    expect(decode('USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z').toString()).to.equal(
      'The quick brown fox jumps over the lazy dog.',
    );
    expect(decode('11233QC4').toString('hex')).to.equal('0000287fb4cd');
  });

  it('accepts and rejects the same input as bs58', () => {
    const character = fc.constantFrom(...'11123ABCZabcz0OIl +/=');
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 6 }), (text) => {
        const expected = bs58.decodeUnsafe(text);
        expect(
          succeeds(() => decode(text)),
          JSON.stringify(text),
        ).to.equal(expected !== undefined);
        if (expected !== undefined) expect(decode(text).equals(Buffer.from(expected))).to.equal(true);
      }),
      { numRuns: 2000 },
    );
  });

  const refused: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['a newline alone', '\n'],
    ['the digit zero', '20'],
    ['a capital O', '2O'],
    ['a capital I', '2I'],
    ['a small l', '2l'],
    ['a blank in front', ' 2'],
    ['a blank behind', '2 '],
    ['two final newlines', '2\n\n'],
    ['a zero byte', '2\0'],
    ['a byte beyond ASCII', Buffer.from([0x32, 0xb2])],
  ];
  for (const [what, text] of refused) {
    it(`rejects ${what}`, () => {
      expect(thrownBy(() => decode(text)).name).to.equal('MalformedSecretError');
    });
  }

  it('rejects more bytes than fit, including leading zeros', () => {
    expect(decode(bs58.encode(Buffer.alloc(32, 0xff)), 32).equals(Buffer.alloc(32, 0xff))).to.equal(true);
    expect(decode('1'.repeat(32), 32).equals(Buffer.alloc(32))).to.equal(true);
    const one33 = Buffer.alloc(33, 0);
    one33[0] = 1;
    for (const text of [
      bs58.encode(one33),
      '1'.repeat(33),
      `1${bs58.encode(Buffer.alloc(32, 0xff))}`,
      'z'.repeat(9000),
    ]) {
      expect(thrownBy(() => decode(text, 32)).message).to.contain('more than 32 bytes');
    }
  });
});
