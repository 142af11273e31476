import { expect } from 'chai';
import fc from 'fast-check';
import { decodeText, decodeTextToBase64 } from '../../../../src/adapters/key-files/text.ts';
import { decodedText, succeeds, thrownBy } from './decoder-outcomes.ts';

const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 90,
});
const newline = fc.constantFrom('', '\n', '\r\n');

describe('decodeText', () => {
  const decode = (text: string | Uint8Array, capacity?: number): Buffer => decodedText(decodeText, text, capacity);

  it('decodes the characters of a line as bytes, ignoring one final newline', () => {
    fc.assert(
      fc.property(visible, newline, (text, end) => {
        expect(decode(`${text}${end}`, 100).toString('latin1')).to.equal(text);
      }),
    );
  });

  it('rejects anything but one line of visible ASCII', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 6 }), (bytes) => {
        const line = Buffer.from(bytes).toString('latin1');
        const isVisible = /^[\x21-\x7e]+(?:\r?\n)?$/.test(line);
        expect(
          succeeds(() => decode(bytes)),
          JSON.stringify(line),
        ).to.equal(isVisible);
      }),
      { numRuns: 2000 },
    );
  });

  it('names the likely mistake, and never suggests keeping a newline or BOM in the secret', () => {
    for (const [text, slip] of [
      ['\ufeffsecret', /^it begins with a byte order mark/],
      ['secret\n\n', /^it has more than one line/],
      ['one\r\ntwo', /^it has more than one line/],
      ['secret ', /^it contains a space or tab/],
      ['two words', /^it contains a space or tab/],
      ['a\tb', /^it contains a space or tab/],
    ] as const) {
      const { message } = thrownBy(() => decode(text, 50));
      expect(message).to.match(slip);
      expect(message).not.to.include('raw');
    }
    expect(thrownBy(() => decode(Buffer.from([1, 200]))).message).to.include('use format raw');
  });

  it('rejects empty text and a lone newline', () => {
    for (const text of ['', '\n', '\r\n']) expect(thrownBy(() => decode(text)).message).to.equal('it has no text');
  });

  it('rejects text that does not fit', () => {
    expect(decode('abcd', 4).toString()).to.equal('abcd');
    expect(thrownBy(() => decode('abcde', 4)).message).to.equal('its secret has more than 4 bytes');
  });
});

describe('decodeTextToBase64', () => {
  const decode = (text: string, capacity?: number): Buffer => decodedText(decodeTextToBase64, text, capacity);

  it("encodes the characters of a line like Node's encoder", () => {
    fc.assert(
      fc.property(visible, newline, (text, end) => {
        expect(decode(`${text}${end}`, 200).toString()).to.equal(Buffer.from(text).toString('base64'));
      }),
    );
  });

  it('rejects anything but one line of visible ASCII, and text that does not fit', () => {
    for (const text of ['', '\n', 'a b', 'é'])
      expect(thrownBy(() => decode(text)).name).to.equal('MalformedSecretError');
    expect(decode('abc', 4).toString()).to.equal('YWJj');
    expect(thrownBy(() => decode('abcd', 7)).message).to.equal('its secret has more than 7 bytes');
  });
});
