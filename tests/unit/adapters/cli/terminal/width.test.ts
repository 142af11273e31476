import { expect } from 'chai';
import { displayWidth, truncateEnd, truncateMiddle, wrapText } from '../../../../../src/adapters/cli/terminal/width.ts';

/** A family emoji: one grapheme of seven code points. */
const FAMILY = '👩‍👩‍👧';

describe('The width of text on a terminal', () => {
  it('is two columns for ideographs and emoji, one for other letters, none for combining marks', () => {
    for (const [text, width] of [
      ['', 0],
      ['account', 7],
      ['Müller', 6],
      ['u\u0308', 1],
      ['币安', 4],
      ['ｆｕｌｌ', 8],
      [FAMILY, 2],
      ['🇯🇵', 2],
      ['\u001b[31mred\u001b[39m', 3],
    ] as const) {
      expect(displayWidth(text), JSON.stringify(text)).to.equal(width);
    }
  });

  it('is never exceeded by truncated text, which keeps its ends and splits no character', () => {
    for (const text of ['abcdefghij', '币安人生币安人生', `${FAMILY}x${FAMILY}y${FAMILY}`, 'a\u0308'.repeat(10)]) {
      for (let columns = 0; columns <= 20; columns += 1) {
        for (const cut of [truncateEnd, truncateMiddle]) {
          const shown = cut(text, columns);
          expect(displayWidth(shown)).to.be.at.most(columns);
          if (displayWidth(text) <= columns) expect(shown).to.equal(text);
          else if (columns > 0) expect(shown).to.include('…');
          const [start = '', end = ''] = shown.split('…');
          expect(text.startsWith(start) && text.endsWith(end)).to.equal(true);
          expect(shown).to.not.match(/^\u0308|…\u0308|\u200d…|…\u200d/u);
        }
      }
    }
    expect(truncateEnd('abcdefghij', 5)).to.equal('abcd…');
    expect(truncateMiddle('abcdefghij', 5)).to.equal('ab…ij');
    expect(truncateMiddle('abcdefghij', 6)).to.equal('abc…ij');
  });
});

describe('Wrapped text', () => {
  it('breaks at spaces and loses no words', () => {
    const text = 'The quick brown fox jumps over the lazy dog, and again over the lazy dog.\nA short line.\n';
    for (let columns = 10; columns <= 90; columns += 1) {
      const wrapped = wrapText(text, columns);
      for (const line of wrapped.split('\n')) expect(line.length).to.be.at.most(columns);
      expect(wrapped.replaceAll('\n', ' ')).to.equal(text.replaceAll('\n', ' '));
    }
    expect(wrapText(text, 90)).to.equal(text);
  });

  it('keeps the indentation of its line or list item', () => {
    expect(wrapText('  two words', 8)).to.equal('  two\n  words');
    expect(wrapText('1. two words', 9)).to.equal('1. two\n   words');
    expect(wrapText('- two words', 8)).to.equal('- two\n  words');
    expect(wrapText('ok     two words', 12, 7)).to.equal('ok     two\n       words');
  });

  it('does not break a word that is wider than the terminal', () => {
    expect(wrapText('see /a/very/long/path here', 10)).to.equal('see\n/a/very/long/path\nhere');
  });
});
