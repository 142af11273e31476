import { expect } from 'chai';
import { wrapText } from '../../../../../src/adapters/driving/cli/wrap-text.ts';

describe('Text that is wrapped', () => {
  it('is broken at blanks, and loses none of its words', () => {
    const text = 'The quick brown fox jumps over the lazy dog, and again over the lazy dog.\nA short line.\n';
    for (let columns = 10; columns <= 90; columns += 1) {
      const wrapped = wrapText(text, columns);
      for (const line of wrapped.split('\n')) expect(line.length).to.be.at.most(columns);
      expect(wrapped.replaceAll('\n', ' ')).to.equal(text.replaceAll('\n', ' '));
    }
    expect(wrapText(text, 90)).to.equal(text);
  });

  it('goes on below the beginning of its line, or of its item', () => {
    expect(wrapText('  two words', 8)).to.equal('  two\n  words');
    expect(wrapText('1. two words', 9)).to.equal('1. two\n   words');
    expect(wrapText('- two words', 8)).to.equal('- two\n  words');
    expect(wrapText('ok     two words', 12, 7)).to.equal('ok     two\n       words');
  });

  it('keeps a word whole that is wider than the terminal', () => {
    expect(wrapText('see /a/very/long/path here', 10)).to.equal('see\n/a/very/long/path\nhere');
  });

  it('does not count colours', () => {
    const text = '\u001b[32mgreen\u001b[39m words';
    expect(wrapText(text, 11)).to.equal(text);
  });
});
