import bs58 from 'bs58';
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase58 } from '../../../src/client/base58.ts';
import { decodeText, readingsOf } from '../../../src/client/byte-text.ts';

const BYTES = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes));

describe('decodeBase58', () => {
  it('reads what bs58 writes', () => {
    fc.assert(
      fc.property(BYTES, (bytes) => {
        expect(decodeBase58(bs58.encode(bytes))).to.deep.equal(bytes);
      }),
    );
  });

  it('takes and refuses the texts that bs58 takes and refuses', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        const expected = bs58.decodeUnsafe(text);
        expect(decodeBase58(text)).to.deep.equal(expected === undefined ? null : Buffer.from(expected));
      }),
    );
  });

  it('refuses what is too long to be a key or a signature, at once', () => {
    expect(decodeBase58('1'.repeat(128))).to.have.lengthOf(128);
    expect(decodeBase58('z'.repeat(1_000_000))).to.equal(null);
  });
});

describe('decodeText', () => {
  const written: { readonly [encoding: string]: (bytes: Buffer) => string } = {
    base58: (bytes) => bs58.encode(bytes),
    base64: (bytes) => bytes.toString('base64'),
    base64url: (bytes) => bytes.toString('base64url'),
    hex: (bytes) => bytes.toString('hex'),
    '0x-hex': (bytes) => `0x${bytes.toString('hex')}`,
  };

  for (const [encoding, write] of Object.entries(written)) {
    it(`reads ${encoding}`, () => {
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
    ['f', 'hex'],
    ['FF', 'hex'],
    ['zz', 'hex'],
    ['', 'hex'],
    ['0xff', 'hex'],
    ['ff', '0x-hex'],
    ['ff', 'rot13'],
  ];
  for (const [text, encoding] of wrong) {
    it(`takes ${JSON.stringify(text)} for no ${encoding}`, () => {
      expect(decodeText(text, encoding)).to.equal(null);
    });
  }
});

describe('readingsOf', () => {
  it('has the bytes, in whichever encoding they are written', () => {
    const bytes = Buffer.from(Array.from({ length: 64 }, (_, index) => index * 3));
    for (const text of [
      bs58.encode(bytes),
      bytes.toString('base64'),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]) {
      expect(readingsOf(text, 64).some((reading) => reading.equals(bytes))).to.equal(true);
    }
    expect(readingsOf('!', 64)).to.deep.equal([]);
  });
});
