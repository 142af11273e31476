import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase58 } from '../../../../src/adapters/key-files/base58.ts';
import { decodeBase64, decodeBase64Url, encodeBase64 } from '../../../../src/adapters/key-files/base64.ts';
import { decodeHex, encodeHex } from '../../../../src/adapters/key-files/hex.ts';
import { decodeText, decodeTextToBase64 } from '../../../../src/adapters/key-files/text.ts';
import { bs58 } from '../../../harness/base58.ts';
import { decodedText, thrownBy } from './decoder-outcomes.ts';

interface Decoder {
  readonly decode: (text: Buffer, output: Buffer) => number;
  /** Texts for these bytes. */
  readonly spell: (bytes: Buffer) => readonly string[];
  /** What such a text decodes to, by another implementation; undefined if malformed. */
  readonly reference: (text: string) => Buffer | undefined;
  /** Digits, and what is easily taken for one. */
  readonly characters: string;
}

const padded = (digits: string) => digits.padEnd(4 * Math.ceil(digits.length / 4), '=');
const asVisible = (bytes: Buffer) => Buffer.from(bytes.map((byte) => 0x21 + (byte % 94))).toString();

const DECODERS: { readonly [name: string]: Decoder } = {
  decodeHex: {
    decode: decodeHex,
    spell: (bytes) => [bytes.toString('hex'), `0x${bytes.toString('hex').toUpperCase()}`],
    reference: (text) =>
      /^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(text) ? Buffer.from(text.replace(/^0x/, ''), 'hex') : undefined,
    characters: '00123456789abcdefABCDEFxXgG -',
  },
  decodeBase58: {
    decode: decodeBase58,
    spell: (bytes) => [bytes, Buffer.concat([Buffer.alloc(3), bytes])].map((each) => bs58.encode(each)),
    reference: (text) => {
      const bytes = text === '' ? undefined : bs58.decodeUnsafe(text);
      return bytes && Buffer.from(bytes);
    },
    characters: '11123ABCZabcz0OIl +/=',
  },
  decodeBase64: {
    decode: decodeBase64,
    spell: (bytes) => [bytes.toString('base64')],
    reference: (text) => {
      const bytes = Buffer.from(text, 'base64');
      return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
    },
    characters: 'ABQZghwxyz01289+/=-_ ',
  },
  decodeBase64Url: {
    decode: decodeBase64Url,
    spell: (bytes) => [bytes.toString('base64url'), padded(bytes.toString('base64url'))],
    reference: (text) => {
      const bytes = Buffer.from(text, 'base64url');
      const digits = bytes.toString('base64url');
      return text !== '' && [digits, padded(digits)].includes(text) ? bytes : undefined;
    },
    characters: 'ABQZghwxyz01289+/=-_ ',
  },
  decodeText: {
    decode: decodeText,
    spell: (bytes) => [asVisible(bytes)],
    reference: (text) => (/^[\x21-\x7e]+$/.test(text) ? Buffer.from(text) : undefined),
    characters: 'ab!~ \t\r\0\x7fé',
  },
  decodeTextToBase64: {
    decode: decodeTextToBase64,
    spell: (bytes) => [asVisible(bytes)],
    reference: (text) => (/^[\x21-\x7e]+$/.test(text) ? Buffer.from(Buffer.from(text).toString('base64')) : undefined),
    characters: 'ab!~ \t\r\0\x7fé',
  },
};

for (const [name, { decode, spell, reference, characters }] of Object.entries(DECODERS)) {
  describe(name, () => {
    const decoded = (text: string | Uint8Array, capacity = 200) => decodedText(decode, text, capacity);

    it('decodes every spelling as another implementation does, ignoring one final newline', () => {
      const bytes = fc.uint8Array({ minLength: 1, maxLength: 56 });
      fc.assert(
        fc.property(bytes, fc.constantFrom('', '\n', '\r\n'), (key, newline) => {
          for (const text of spell(Buffer.from(key))) {
            expect(decoded(`${text}${newline}`)).to.deep.equal(reference(text));
          }
        }),
      );
    });

    it('accepts and rejects the same texts as another implementation', () => {
      const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 9 });
      fc.assert(
        fc.property(text, (each) => {
          const expected = reference(each);
          if (expected === undefined) expect(() => decoded(each), JSON.stringify(each)).to.throw();
          else expect(decoded(each), each).to.deep.equal(expected);
        }),
        { numRuns: 200 },
      );
    });

    it('rejects nothing, and anything around a text', () => {
      const [text = ''] = spell(Buffer.from('secret'));
      const bytes = Buffer.from(text);
      bytes[2] = 0xb2;
      for (const wrong of [
        '',
        '\n',
        `${text}\n\n`,
        `\n${text}`,
        ` ${text}`,
        `${text} `,
        `${text}\0`,
        `\ufeff${text}`,
        bytes,
      ]) {
        expect(thrownBy(() => decoded(wrong)).name, JSON.stringify(wrong)).to.equal('MalformedSecretError');
      }
    });

    it('rejects more bytes than fit', () => {
      for (const text of [...spell(Buffer.alloc(33, 1)), ...spell(Buffer.alloc(33, 0xff))]) {
        const { length } = reference(text) ?? [];
        expect(decoded(text, length)).to.have.length(Number(length));
        expect(thrownBy(() => decoded(text, Number(length) - 1)).message).to.include(
          `more than ${Number(length) - 1} bytes`,
        );
      }
    });
  });
}

describe('Decoders of text', () => {
  const decode = (name: keyof typeof DECODERS, text: string) =>
    decodedText(DECODERS[name]?.decode ?? expect.fail(), text).toString('latin1');

  it('reproduce the vectors of RFC 4648 §10 and of draft-msporny-base58-03 §5', () => {
    const foobar = {
      'Zg==': 'f',
      'Zm8=': 'fo',
      Zm9v: 'foo',
      'Zm9vYg==': 'foob',
      'Zm9vYmE=': 'fooba',
      Zm9vYmFy: 'foobar',
    };
    for (const [text, decoded] of Object.entries(foobar)) expect(decode('decodeBase64', text)).to.equal(decoded);
    const fox = 'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z';
    expect(decode('decodeBase58', '2NEpo7TZRRrLZSi2U')).to.equal('Hello World!');
    expect(decode('decodeBase58', fox)).to.equal('The quick brown fox jumps over the lazy dog.');
    expect(decode('decodeBase58', '11233QC4')).to.equal('\0\0\x28\x7f\xb4\xcd');
  });

  it('name the likely mistake in a text secret, and never suggest keeping a newline or BOM in it', () => {
    for (const [text, slip] of [
      ['\ufeffsecret', /^it begins with a byte order mark/],
      ['secret\n\n', /^it has more than one line/],
      ['one\r\ntwo', /^it has more than one line/],
      ['two words', /^it contains a space or tab/],
    ] as const) {
      const { message } = thrownBy(() => decode('decodeText', text));
      expect(message).to.match(slip).and.not.include('raw');
    }
    expect(thrownBy(() => decode('decodeText', '\x01')).message).to.include('use format raw');
  });
});

describe('Encoders without strings', () => {
  it("match Node's encoders, and write nothing after the text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (array) => {
        const bytes = Buffer.from(array);
        const [hex, base64] = [bytes.toString('hex'), bytes.toString('base64')];
        const output = Buffer.alloc(hex.length + 1, '!');
        encodeHex(bytes, output);
        expect(output.toString()).to.equal(`${hex}!`);
        output.fill('!');
        const other = Buffer.alloc(base64.length + 1, '!');
        expect(encodeBase64(bytes, other)).to.equal(base64.length);
        expect(other.toString()).to.equal(`${base64}!`);
      }),
    );
  });
});
