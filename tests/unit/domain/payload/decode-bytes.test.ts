import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { decodeBase64, decodeHex } from '../../../../src/domain/payload/decode-bytes.ts';

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, value) => value);

describe('decodeHex', () => {
  it('decodes either case, with or without 0x', () => {
    for (const text of ['c3a9', 'C3A9', '0xc3A9']) expect(decodeHex(text)).to.deep.equal(Uint8Array.of(0xc3, 0xa9));
    expect(decodeHex(Buffer.from(EVERY_BYTE).toString('hex'))).to.deep.equal(EVERY_BYTE);
  });

  it('decodes no digits to no bytes', () => {
    expect(decodeHex('')).to.deep.equal(new Uint8Array(0));
    expect(decodeHex('0x')).to.deep.equal(new Uint8Array(0));
  });

  for (const text of ['c', 'c3a', '0xc', 'zz', 'c3 a9', ' c3', 'c3\n', '0Xc3', '0x0xc3', '-1', '+1', '１２', 'x0c3']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(decodeHex(text)).to.equal(undefined);
    });
  }
});

describe('decodeBase64', () => {
  // RFC 4648 section 10
  const published = {
    '': '',
    f: 'Zg==',
    fo: 'Zm8=',
    foo: 'Zm9v',
    foob: 'Zm9vYg==',
    fooba: 'Zm9vYmE=',
    foobar: 'Zm9vYmFy',
  };

  for (const [plain, text] of Object.entries(published)) {
    it(`decodes "${text}" to "${plain}"`, () => {
      expect(decodeBase64(text)).to.deep.equal(new Uint8Array(Buffer.from(plain, 'latin1')));
    });
  }

  it('decodes every byte and every sign of the alphabet', () => {
    expect(decodeBase64(Buffer.from(EVERY_BYTE).toString('base64'))).to.deep.equal(EVERY_BYTE);
  });

  it('decodes a long text', () => {
    const bytes = new Uint8Array(750_000).fill(0xa5);
    expect(Buffer.from(decodeBase64(Buffer.from(bytes).toString('base64')) ?? []).equals(bytes)).to.equal(true);
  });

  for (const text of [
    'Zg',
    'Zg=',
    'Zh==',
    'Zm9=',
    'Zm9',
    'Z===',
    '====',
    'Zm9vYg==Zg==',
    'Zg==\n',
    ' Zg==',
    'Zm 9v',
    '-_-_',
    'Zm9v=',
  ]) {
    it(`refuses ${JSON.stringify(text)}, which is not what its bytes encode to`, () => {
      expect(Buffer.from(text, 'base64').toString('base64')).not.to.equal(text);
      expect(decodeBase64(text)).to.equal(undefined);
    });
  }
});
