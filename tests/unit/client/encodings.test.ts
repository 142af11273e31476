import { expect } from 'chai';
import fc from 'fast-check';
import { decodeAnyEncoding, decodeText } from '../../../src/client/encodings.ts';
import { bs58 } from '../../harness/base58.ts';

const BYTES = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));

describe('decodeText of base58', () => {
  it('decodes what bs58 encodes', () => {
    fc.assert(
      fc.property(BYTES, (bytes) => {
        expect(decodeText(bs58.encode(bytes), 'base58')).to.deep.equal(bytes);
      }),
    );
  });

  it('accepts the same strings as bs58', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const expected = bs58.decodeUnsafe(text);
        expect(decodeText(text, 'base58')).to.deep.equal(expected === undefined ? null : Buffer.from(expected));
      }),
    );
  });

  it('rejects long strings without decoding them', () => {
    expect(decodeText('1'.repeat(700), 'base58')).to.have.lengthOf(700);
    expect(decodeText('z'.repeat(1_000_000), 'base58')).to.equal(null);
  });
});

describe('decodeText', () => {
  const written: { readonly [encoding: string]: (bytes: Buffer) => string } = {
    base58: (bytes) => bs58.encode(bytes),
    base64: (bytes) => bytes.toString('base64'),
    base64url: (bytes) => bytes.toString('base64url'),
    'base64url-padded': (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
    hex: (bytes) => bytes.toString('hex'),
    '0x-hex': (bytes) => `0x${bytes.toString('hex')}`,
  };

  for (const [encoding, write] of Object.entries(written)) {
    it(`decodes ${encoding}`, () => {
      fc.assert(
        fc.property(
          BYTES.filter(({ length }) => length > 0),
          (bytes) => {
            expect(decodeText(write(bytes), encoding)).to.deep.equal(bytes);
          },
        ),
      );
    });
  }

  const wrong: readonly (readonly [string, string])[] = [
    ['0', 'base58'],
    ['AA', 'base64'],
    ['AA==\n', 'base64'],
    ['AB==', 'base64'],
    ['AA==', 'base64url'],
    ['AA', 'base64url-padded'],
    ['AA=', 'base64url-padded'],
    ['AB==', 'base64url-padded'],
    ['+/+/', 'base64url-padded'],
    ['f', 'hex'],
    ['FF', 'hex'],
    ['zz', 'hex'],
    ['', 'hex'],
    ['0xff', 'hex'],
    ['ff', '0x-hex'],
    ['ff', 'rot13'],
  ];
  it('rejects other spellings and encodings', () => {
    for (const [text, encoding] of wrong) expect(decodeText(text, encoding), `${text} as ${encoding}`).to.equal(null);
  });
});

describe('decodeAnyEncoding', () => {
  it('finds the bytes in any encoding', () => {
    const bytes = Buffer.from(Array.from({ length: 64 }, (_, index) => index * 3));
    for (const text of [
      bs58.encode(bytes),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]) {
      expect(decodeAnyEncoding(text, 64).some((reading) => reading.equals(bytes))).to.equal(true);
    }
    expect(decodeAnyEncoding('!', 64)).to.deep.equal([]);
  });
});
