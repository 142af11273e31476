import { expect } from 'chai';
import fc from 'fast-check';
import { type ReadableText, WildcardPattern } from '../../../../../src/domain/model/text/wildcard-pattern.ts';

const matches = (pattern: string, text: string) => new WildcardPattern(pattern).matches(text);

/** Reference matcher: tries every run for each wildcard. */
function naiveMatches(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  const rest = pattern.slice(1);
  if (!pattern.startsWith('*')) return text[0] === pattern[0] && naiveMatches(rest, text.slice(1));
  return Array.from({ length: text.length + 1 }, (_, at) => text.slice(at)).some((end) => naiveMatches(rest, end));
}

/** Counts its reads. */
class CountedText implements ReadableText {
  reads = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(index: number): number {
    this.reads += 1;
    return this.#text.charCodeAt(index);
  }
}

describe('WildcardPattern', () => {
  for (const [pattern, text, expected] of [
    ['*aab*', 'aaab', true],
    ['*abab*c', 'abacababc', true],
    ['bot-7', 'Bot-7', false],
    ['spiffe://firm/*', 'spiffe://firm/desk/7', true],
    // Only `*` is special.
    ['a.c', 'abc', false],
    ['a?', 'ab', false],
    ['[ab]', 'a', false],
    ['a+', 'aa', false],
    ['(a|b)', 'a', false],
    ['\\*', '\\', true],
  ] as const) {
    it(`${expected ? 'matches' : 'does not match'} '${text}' with '${pattern}'`, () => {
      expect(matches(pattern, text)).to.equal(expected);
    });
  }

  const letters = (alphabet: string, maxLength: number) => fc.string({ unit: fc.constantFrom(...alphabet), maxLength });

  it('agrees with a naive backtracking matcher', () => {
    fc.assert(
      fc.property(letters('aab*', 9), letters('ab', 12), (pattern, text) => {
        expect(matches(pattern, text)).to.equal(naiveMatches(pattern, text));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads each character at most once, for any pattern and text', () => {
    const expectFewReads = (pattern: string, text: string) => {
      const counted = new CountedText(text);
      new WildcardPattern(pattern).matches(counted);
      expect(counted.reads).to.be.at.most(text.length);
    };
    fc.assert(fc.property(letters('aab*', 30), letters('ab', 200), expectFewReads));
    // Pieces that nearly fit everywhere, or begin again within themselves.
    for (const pattern of [`*${'a'.repeat(253)}b*`, `*${'ab'.repeat(100)}b*c`]) {
      for (const text of ['a'.repeat(10_000), 'ab'.repeat(5000)]) expectFewReads(pattern, text);
    }
  });
});
