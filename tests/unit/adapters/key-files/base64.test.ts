import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase64, decodeBase64Url, encodeBase64 } from '../../../../src/adapters/key-files/base64.ts';
import { decodedText, succeeds, thrownBy } from './decoder-outcomes.ts';

const decode = (text: string | Uint8Array, capacity?: number): Buffer => decodedText(decodeBase64, text, capacity);

describe('decodeBase64', () => {
  it("decodes the output of Node's encoder, with or without a final newline", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.constantFrom('', '\n', '\r\n'),
        (bytes, newline) => {
          const text = `${Buffer.from(bytes).toString('base64')}${newline}`;
          expect(decode(text).equals(Buffer.from(bytes))).to.equal(true);
        },
      ),
    );
  });

  it('decodes the vectors of RFC 4648 §10', () => {
    const vectors = {
      'Zg==': 'f',
      'Zm8=': 'fo',
      Zm9v: 'foo',
      'Zm9vYg==': 'foob',
      'Zm9vYmE=': 'fooba',
      Zm9vYmFy: 'foobar',
    };
    for (const [text, decoded] of Object.entries(vectors)) expect(decode(text).toString()).to.equal(decoded);
  });

  it('rejects anything that does not round-trip', () => {
    const character = fc.constantFrom(...'ABQZghwxyz01289+/=-_ ');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const canonical = text !== '' && Buffer.from(text, 'base64').toString('base64') === text;
        expect(
          succeeds(() => decode(text)),
          JSON.stringify(text),
        ).to.equal(canonical);
      }),
      { numRuns: 2000 },
    );
  });

  const refused: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['a newline alone', '\n'],
    ['padding alone', '===='],
    ['missing padding', 'Zg'],
    ['half of the padding', 'Zg='],
    ['too much padding', 'Zm8=='],
    ['a whole quantum of padding', 'Zm9v===='],
    ['three padding characters', 'Z==='],
    ['padding in the middle', 'Zg==Zg=='],
    ['unused bits that are not zero, two', 'Zm9='],
    ['unused bits that are not zero, four', 'Zh=='],
    ['the URL alphabet', 'Zm-_'],
    ['a blank in front', ' Zm9vYmFy'.slice(0, 8)],
    ['a line break in the middle', 'Zm9\nYmFy'],
    ['two final newlines', 'Zm9v\n\n'],
    ['a zero byte', 'Zm9\0'],
    ['a byte beyond ASCII', Buffer.from([0x5a, 0x6d, 0x39, 0xf6])],
  ];
  for (const [what, text] of refused) {
    it(`rejects ${what}`, () => {
      expect(thrownBy(() => decode(text)).name).to.equal('MalformedSecretError');
    });
  }

  it('rejects more bytes than fit', () => {
    expect(decode(Buffer.alloc(32).toString('base64'), 32)).to.have.length(32);
    expect(thrownBy(() => decode(Buffer.alloc(33).toString('base64'), 32)).message).to.contain('more than 32 bytes');
  });
});

describe('encodeBase64', () => {
  it("matches Node's encoder, and writes only the start of the output", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const output = Buffer.alloc(140, 0xee);
        const expected = Buffer.from(bytes).toString('base64');
        expect(encodeBase64(Buffer.from(bytes), output)).to.equal(expected.length);
        expect(output.toString('latin1', 0, expected.length)).to.equal(expected);
        expect(output.subarray(expected.length).every((byte) => byte === 0xee)).to.equal(true);
      }),
    );
  });

  it('encodes every byte value', () => {
    const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const output = Buffer.alloc(344);
    encodeBase64(every, output);
    expect(output.toString()).to.equal(every.toString('base64'));
  });

  it('throws if the output is too small', () => {
    expect(() => encodeBase64(Buffer.alloc(4), Buffer.alloc(7))).to.throw(RangeError);
  });
});

describe('decodeBase64Url', () => {
  const decodeUrl = (text: string, capacity?: number): Buffer => decodedText(decodeBase64Url, text, capacity);

  it("decodes the output of Node's encoder, padded or not, with or without a final newline", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.constantFrom('', '\n', '\r\n'),
        fc.boolean(),
        (bytes, newline, isPadded) => {
          const digits = Buffer.from(bytes).toString('base64url');
          const text = isPadded ? digits.padEnd(4 * Math.ceil(digits.length / 4), '=') : digits;
          expect(decodeUrl(`${text}${newline}`).equals(Buffer.from(bytes))).to.equal(true);
        },
      ),
    );
  });

  it('rejects anything that does not round-trip, padded or not', () => {
    const character = fc.constantFrom(...'ABQZghwxyz01289+/=-_ ');
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        const digits = Buffer.from(text, 'base64url').toString('base64url');
        const isCanonical = text === digits || text === digits.padEnd(4 * Math.ceil(digits.length / 4), '=');
        expect(
          succeeds(() => decodeUrl(text)),
          JSON.stringify(text),
        ).to.equal(text !== '' && isCanonical);
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects other input, naming neither its content nor its length', () => {
    for (const text of ['', '\n', '====', 'Z', 'Zg=', 'Zg===', 'Zm9v====', 'Zh', 'Zm+/', 'Zm-_ ', 'Zm-_\n\n']) {
      expect(
        thrownBy(() => decodeUrl(text)),
        JSON.stringify(text),
      ).to.have.property('name', 'MalformedSecretError');
    }
    expect(thrownBy(() => decodeUrl('AAAAAA', 3))).to.have.property('name', 'MalformedSecretError');
  });
});
