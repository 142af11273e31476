import { expect } from 'chai';
import fc from 'fast-check';
import { decodeHex, encodeHex } from '../../../../src/adapters/key-files/hex.ts';
import { decodedText, succeeds, thrownBy } from './decoder-outcomes.ts';

const decode = (text: string | Uint8Array, capacity?: number): Buffer => decodedText(decodeHex, text, capacity);

describe('decodeHex', () => {
  it("decodes the output of Node's encoder in either case, with or without 0x and a newline", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.boolean(),
        fc.constantFrom('', '0x'),
        fc.constantFrom('', '\n', '\r\n'),
        (bytes, upper, prefix, newline) => {
          const digits = Buffer.from(bytes).toString('hex');
          const text = `${prefix}${upper ? digits.toUpperCase() : digits}${newline}`;
          expect(decode(text).equals(Buffer.from(bytes))).to.equal(true);
        },
      ),
    );
  });

  it('rejects anything but whole bytes of hex', () => {
    const form = /^(?:0x)?(?:[0-9a-fA-F]{2})+$/;
    const character = fc.constantFrom(...'0123456789abcdefABCDEFxXgG -');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const accepted = succeeds(() => decode(text));
        expect(accepted, JSON.stringify(text)).to.equal(form.test(text));
      }),
      { numRuns: 2000 },
    );
  });

  const refused: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['a newline alone', '\n'],
    ['a prefix alone', '0x'],
    ['an odd number of digits', 'abc'],
    ['an upper case prefix', '0Xab'],
    ['two prefixes', '0x0xab'],
    ['a blank in front', ' ab'],
    ['a blank behind', 'ab  '],
    ['two final newlines', 'ab\n\n'],
    ['a carriage return alone', 'abc\r'],
    ['a newline in front', '\nab\n'],
    ['a byte order mark', '\ufeffab'],
    ['a zero byte', 'ab\0\0'],
    ['a byte beyond ASCII', Buffer.from([0x61, 0xe1])],
  ];
  for (const [what, text] of refused) {
    it(`rejects ${what}`, () => {
      expect(thrownBy(() => decode(text)).name).to.equal('MalformedSecretError');
    });
  }

  it('rejects more bytes than fit', () => {
    expect(decode('00'.repeat(32), 32)).to.have.length(32);
    expect(thrownBy(() => decode('00'.repeat(33), 32)).message).to.contain('more than 32 bytes');
  });
});

describe('encodeHex', () => {
  it("matches Node's encoder, and writes nothing after it", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const output = Buffer.alloc(2 * bytes.length + 1, '!');
        encodeHex(Buffer.from(bytes), output);
        expect(output.toString('latin1')).to.equal(`${Buffer.from(bytes).toString('hex')}!`);
      }),
    );
  });

  it('rejects more bytes than fit', () => {
    expect(() => encodeHex(Buffer.alloc(2), Buffer.alloc(3))).to.throw(RangeError);
  });
});
