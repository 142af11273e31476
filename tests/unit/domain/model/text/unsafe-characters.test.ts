import { expect } from 'chai';
import fc from 'fast-check';
import { escapeUnsafe, isPrintable, printable } from '../../../../../src/domain/model/text/unsafe-characters.ts';
import { anyText } from '../../../../property/any-text.ts';

const UNSAFE = ['\u0000', '\n', '\u001b', '\u007f', '\u0085', '\u009b', '\u00ad', '\u061c', '\u200b', '\u200d'].concat([
  '\u2028',
  '\u2029',
  '\u202e',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
  '\ud800',
  '\udfff',
]);

describe('Unsafe characters', () => {
  for (const character of UNSAFE) {
    const code = character.codePointAt(0)?.toString(16);
    it(`are escaped: U+${code}`, () => {
      expect(escapeUnsafe(`é${character}`)).to.match(/^é(?:\\u[0-9a-f]{4}){1,2}$/);
      expect(JSON.parse(`"${escapeUnsafe(character)}"`)).to.equal(character);
      expect(printable(`é${character}`)).to.equal(`é\\u{${code}}`);
      expect(isPrintable(character)).to.equal(false);
    });
  }

  it('do not include readable text', () => {
    for (const text of ['', 'plain "text" \\', 'Zoë', '😀 “x”', '中文', '\ue000']) {
      expect(escapeUnsafe(text)).to.equal(text);
      expect(printable(text)).to.equal(text);
      expect(isPrintable(text)).to.equal(true);
    }
  });

  it('do not change a JSON value when escaped', () => {
    const text = fc.string({ unit: fc.oneof(anyText(), fc.constantFrom(...UNSAFE)) });
    fc.assert(
      fc.property(text, (value) => {
        expect(JSON.parse(escapeUnsafe(JSON.stringify({ [value]: value })))).to.deep.equal({ [value]: value });
      }),
    );
  });
});
