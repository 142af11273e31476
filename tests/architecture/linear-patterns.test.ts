import { expect } from 'chai';
import { isSafe } from 'redos-detector';
import { z } from 'zod';
import { startService } from '../api/harness.ts';
import { constructedPatterns, patternsInPrograms } from './patterns-in-programs.ts';

/** More than the longest pattern of this project takes; who takes more is not shown to be linear. */
const MOST_STEPS = 50_000;
const MOST_MS = 20_000;

/**
 * Patterns that may begin anywhere, and whose attempts read disjoint parts of the text: each begins with a character that the rest of it never takes, so that no attempt gets past the beginning of the next.
 * By pattern, that character.
 */
const APART: ReadonlyMap<string, string> = new Map([
  [String.raw`\{[^{}]*\}`, '{'],
  [String.raw`(\{[^{}]*\})`, '{'],
  [String.raw`\[(\d*)\]`, '['],
  [String.raw`\.\d{12,}-\d{12,}`, '.'],
  [String.raw`\.(torn|lock|usage|tmp|set-aside-[^.]+|key|pub|pem|previous|gz|xz|zst|bz2|lz4|Z)$`, '.'],
]);

/** Of files that the operator alone names, and that are small. Each run of hyphens is one attempt, since what follows may hold none. */
const OF_OPERATORS: ReadonlySet<string> = new Set([
  '-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----',
  String.raw`-----[^-]*-----|\s`,
]);

/**
 * Beginning of the pattern of a whole record, which has more ways than can be counted, since many of its members may be null. What follows a member begins with a text of its own, and all but one of them hold no more than
 * a thousand characters, so that it is enough to look at each.
 */
const RECORD = String.raw`^\{"seq":`;

function membersOf({ source, flags }: RegExp): readonly RegExp[] {
  return source.split(/(?=,"[a-zA-Z]+":)/).map((member) => new RegExp(`^${member.replace(/^\^/, '')}`, flags));
}

/**
 * Whether a pattern that does not match tries a bounded number of ways for each text, from each of the places where it may begin, and these don't add up: so that its time grows with the length of the text alone.
 * A score that is finite is the most ways for any text of any length.
 */
function isLinear(pattern: RegExp): boolean {
  if (isBounded(pattern)) return true;
  if (OF_OPERATORS.has(pattern.source)) return true;
  if (pattern.source.startsWith(RECORD)) return membersOf(pattern).every(isBounded);
  return APART.has(pattern.source) && isBounded(new RegExp(`^(?:${pattern.source})`, pattern.flags));
}

/** Many patterns are alike. */
const judged = new Map<string, boolean>();

/** Repetitions of many times are taken for ones without an end: that only adds ways, and takes fewer steps. */
function isBounded({ source, flags }: RegExp): boolean {
  const loosened = new RegExp(source.replace(/\{(?:\d+,)?\d{2,}\}/g, '*'), flags);
  const known = judged.get(String(loosened));
  if (known !== undefined) return known;
  const { safe, score, error } = isSafe(loosened, { maxSteps: MOST_STEPS, timeout: MOST_MS });
  const result = safe && error === null && !score.infinite;
  judged.set(String(loosened), result);
  return result;
}

function notLinear(patterns: readonly RegExp[]): readonly string[] {
  return patterns.filter((pattern) => !isLinear(pattern)).map(String);
}

describe('Every regular expression', () => {
  const programs = patternsInPrograms();

  it('of the programs takes a time that grows with the length of the text alone', () => {
    expect(programs.flatMap(({ literals }) => literals)).to.have.length.above(80);
    const wrong = programs.flatMap(({ file, literals }) => notLinear(literals).map((pattern) => `${file}: ${pattern}`));
    expect(wrong).to.deep.equal([]);
  }).timeout(120_000);

  it('that a program makes of text does as well, and is made while it loads', async () => {
    const files = programs.filter(({ constructions }) => constructions > 0).map(({ file }) => file);
    expect(files).to.have.length.above(3);
    for (const file of files) {
      const patterns = await constructedPatterns(file);
      expect(patterns, `${file} makes a pattern later, of what nobody knows here`).not.to.deep.equal([]);
      expect(notLinear(patterns), file).to.deep.equal([]);
    }
  }).timeout(120_000);

  it('that Express makes of the paths of the API does as well', async () => {
    let patterns: readonly RegExp[] = [];
    const service = await startService();
    try {
      const app = service.app as unknown as {
        readonly _router: { readonly stack: readonly { readonly regexp: RegExp }[] };
      };
      patterns = app._router.stack.map(({ regexp }) => regexp);
    } finally {
      await service.close();
    }
    expect(patterns).to.have.length.above(10);
    expect(notLinear(patterns)).to.deep.equal([]);
  });

  it('that zod brings to what this project takes from it does as well', () => {
    const pattern = z.iso.datetime()._zod.def.pattern;
    expect(pattern).to.be.instanceOf(RegExp);
    expect(notLinear([pattern as RegExp])).to.deep.equal([]);
  });

  it('would be found out if it were not', () => {
    const slow = [/=+$/, /^(a+)+$/, /a*a*b/, /\s+$/];
    for (const pattern of slow) expect(isLinear(pattern), String(pattern)).to.equal(false);
    for (const [source, first] of APART) {
      // The character begins an attempt, and ends every other.
      expect(new RegExp(`^(?:${source})$`).test(first.repeat(2)), source).to.equal(false);
    }
  });
});
