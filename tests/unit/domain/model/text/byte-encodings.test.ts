import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeBase58,
  decodeBase64,
  decodeHex,
  encodeBase58,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
  percentEncode,
} from '../../../../../src/domain/model/text/byte-encodings.ts';
import { bs58 } from '../../../../harness/base58.ts';
import { anyText } from '../../../../property/any-text.ts';

describe('Encoders', () => {
  it('give what Buffer and encodeURIComponent give', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(encodeHex(bytes)).to.equal(buffer.toString('hex'));
        expect(encodeBase64(bytes)).to.equal(buffer.toString('base64'));
        expect(encodeBase64Url(bytes)).to.equal(buffer.toString('base64url'));
        expect(decodeHex(buffer.toString('hex'))).to.deep.equal(bytes);
      }),
    );
    fc.assert(
      fc.property(anyText(), (text) => {
        const reserved = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
        expect(percentEncode(text)).to.equal(encodeURIComponent(text).replace(/[!'()*]/g, reserved));
      }),
    );
  });
});

describe('decodeHex', () => {
  it('rejects other characters, halves of bytes and other prefixes', () => {
    for (const text of ['c', 'c3a', '0xc', 'zz', 'c3 a9', ' c3', 'c3\n', '0Xc3', '0x0xc3', '-1', '１２', 'x0c3']) {
      expect(decodeHex(text), JSON.stringify(text)).to.equal(undefined);
    }
  });
});

describe('decodeBase64', () => {
  it('decodes a long string', () => {
    const bytes = new Uint8Array(750_000).fill(0xa5);
    expect(Buffer.from(decodeBase64(Buffer.from(bytes).toString('base64')) ?? []).equals(bytes)).to.equal(true);
  });

  it('rejects what is not canonical', () => {
    for (const text of ['Zg', 'Zg=', 'Zh==', 'Zm9=', 'Z===', '====', 'Zm9vYg==Zg==', 'Zg==\n', 'Zm 9v', '-_-_']) {
      expect(decodeBase64(text), JSON.stringify(text)).to.equal(undefined);
    }
  });

  it('accepts only the canonical encoding of any bytes', () => {
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 90 }).map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.base64String().chain((base64) => fc.constantFrom(`${base64}\n`, ` ${base64}`, `${base64}=`, base64)),
      fc.string({ unit: fc.constantFrom('A', 'Q', 'R', '/', '=', '-', 'é', 'ﬀ'), maxLength: 8 }),
    );
    fc.assert(
      fc.property(text, (any) => {
        const bytes = Buffer.from(any, 'base64');
        const isCanonical = bytes.toString('base64') === any;
        expect(decodeBase64(any)).to.deep.equal(isCanonical ? new Uint8Array(bytes) : undefined);
      }),
      { numRuns: 500 },
    );
  });
});

describe('encodeBase58', () => {
  it('agrees with bs58 for any bytes, and decodeBase58 decodes the result', () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 70 }), (zeros, rest) => {
        const bytes = Uint8Array.from([...new Uint8Array(zeros), ...rest]);
        expect(encodeBase58(bytes)).to.equal(bs58.encode(bytes));
        expect(decodeBase58(bs58.encode(bytes))).to.deep.equal(bytes);
      }),
      { numRuns: 500 },
    );
  });
});

describe('decodeBase58', () => {
  it('accepts and rejects the same strings as bs58', () => {
    const unit = fc.constantFrom(...'129AHJZakmz0OIl +-é😀\n');
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit, maxLength: 20 })), (text) => {
        expect(decodeBase58(text)).to.deep.equal(bs58.decodeUnsafe(text));
      }),
      { numRuns: 500 },
    );
  });

  it('rejects more than 700 characters', () => {
    expect(decodeBase58('1'.repeat(700))).to.deep.equal(new Uint8Array(700));
    expect(decodeBase58('1'.repeat(701))).to.equal(undefined);
  });
});
