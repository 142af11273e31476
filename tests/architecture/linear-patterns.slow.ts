import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type AnyNode, parse } from 'acorn';
import { expect } from 'chai';
import { isSafe } from 'redos-detector';
import { z } from 'zod';
import { startService } from '../api/harness/running-service.ts';

const BUILT = resolve(import.meta.dirname, '../../dist');

/** TypeScript's helper for dynamic import paths, which nothing uses. */
const COMPILER_HELPER = '__rewriteRelativeImportExtension';

/** Regular expressions of a built file. */
interface FilePatterns {
  /** Path in `dist`. */
  readonly file: string;
  readonly literals: readonly RegExp[];
  /** Lines that construct one from text. */
  readonly constructions: number;
}

/**
 * All regular expressions of the built JavaScript (`npm test` builds first): TypeScript 7 has no
 * parser API.
 */
function patternsInPrograms(): readonly FilePatterns[] {
  const files = readdirSync(BUILT, { recursive: true }).map(String);
  return files.filter((file) => file.endsWith('.js')).map(patternsOf);
}

/** Patterns that a file constructs while loading. */
async function constructedPatterns(file: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = [];
  const Original = RegExp;
  const record = (pattern: RegExp) => {
    if (isOfPrograms(new Error().stack ?? '')) made.push(pattern);
    return pattern;
  };
  globalThis.RegExp = new Proxy(Original, {
    construct: (_target, [source, flags]) => record(new Original(source, flags)),
    apply: (_target, _self, [source, flags]) => record(new Original(source, flags)),
  });
  try {
    // A fresh module instance: it may be loaded already.
    await import(`${pathToFileURL(join(BUILT, file)).href}?patterns`);
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}

/**
 * Whether the innermost foreign frame is a built program; its dependencies construct patterns, too.
 */
function isOfPrograms(stack: string): boolean {
  const [caller = ''] = stack
    .split('\n')
    .slice(1)
    .filter((frame) => !frame.includes(import.meta.filename));
  return caller.includes(`${BUILT}/`);
}

function patternsOf(file: string): FilePatterns {
  const text = readFileSync(join(BUILT, file), 'utf8');
  const found: AnyNode[] = [];
  const isOwn = (node: AnyNode) =>
    !(node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.id.name === COMPILER_HELPER);
  walk(parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true }), isOwn, (node) =>
    found.push(node),
  );
  const literals = found.flatMap((node) => (node.type === 'Literal' && node.regex ? [node.regex] : []));
  return {
    file,
    literals: literals.map(({ pattern, flags }) => new RegExp(pattern, flags)),
    constructions: found.filter(isConstruction).length,
  };
}

function isConstruction(node: AnyNode): boolean {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return false;
  return node.callee.type === 'Identifier' && node.callee.name === 'RegExp';
}

function walk(node: unknown, isEntered: (node: AnyNode) => boolean, visit: (node: AnyNode) => void): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) {
    for (const each of node) walk(each, isEntered, visit);
    return;
  }
  if (!('type' in node)) return;
  if (!isEntered(node as AnyNode)) return;
  visit(node as AnyNode);
  for (const value of Object.values(node)) walk(value, isEntered, visit);
}

/** More than any pattern here needs; patterns beyond count as not linear. */
const MAX_STEPS = 50_000;
const MAX_MS = 20_000;

/**
 * Unanchored patterns whose attempts read disjoint text: each begins with a character that the rest
 * never matches. By pattern, that character.
 */
const APART: ReadonlyMap<string, string> = new Map([
  [String.raw`\{[^{}]*\}`, '{'],
  [String.raw`(\{[^{}]*\})`, '{'],
  [String.raw`\[(\d*)\]`, '['],
  [String.raw`\.\d{12,}-\d{12,}`, '.'],
  [String.raw`\.(torn|lock|usage|budgets|replay|tmp|set-aside-[^.]+|key|pub|pem|previous|gz|xz|zst|bz2|lz4|Z)$`, '.'],
]);

/** Small files of the operator. Attempts are runs of hyphens, which the rest excludes. */
const OF_OPERATORS: ReadonlySet<string> = new Set([
  '-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----',
  String.raw`-----[^-]*-----|\s`,
]);

/**
 * Whether the number of paths of a failing match is bounded for each start, and starts don't
 * multiply: then time is linear in the text's length. A finite score is the maximum for any text.
 */
function isLinear(pattern: RegExp): boolean {
  if (isBounded(pattern)) return true;
  if (OF_OPERATORS.has(pattern.source)) return true;
  return APART.has(pattern.source) && isBounded(new RegExp(`^(?:${pattern.source})`, pattern.flags));
}

/** Many patterns are equal. */
const verdicts = new Map<string, boolean>();

/** Treats large repetitions as unbounded: that only adds paths, and is faster. */
function isBounded({ source, flags }: RegExp): boolean {
  const loosened = new RegExp(source.replace(/\{(?:\d+,)?\d{2,}\}/g, '*'), flags);
  const known = verdicts.get(String(loosened));
  if (known !== undefined) return known;
  const { safe, score, error } = isSafe(loosened, { maxSteps: MAX_STEPS, timeout: MAX_MS });
  const result = safe && error === null && !score.infinite;
  verdicts.set(String(loosened), result);
  return result;
}

function notLinear(patterns: readonly RegExp[]): readonly string[] {
  return patterns.filter((pattern) => !isLinear(pattern)).map(String);
}

describe('Every regular expression', () => {
  const programs = patternsInPrograms();

  it('in the programs runs in time linear in the input length', () => {
    expect(programs.flatMap(({ literals }) => literals)).to.have.length.above(80);
    const wrong = programs.flatMap(({ file, literals }) => notLinear(literals).map((pattern) => `${file}: ${pattern}`));
    expect(wrong).to.deep.equal([]);
  }).timeout(120_000);

  it('constructed from text is linear as well, and is constructed at load time', async () => {
    const files = programs.filter(({ constructions }) => constructions > 0).map(({ file }) => file);
    expect(files).to.have.length.above(3);
    for (const file of files) {
      const patterns = await constructedPatterns(file);
      expect(patterns, `${file} makes a pattern later, of what nobody knows here`).not.to.deep.equal([]);
      expect(notLinear(patterns), file).to.deep.equal([]);
    }
  }).timeout(120_000);

  it('that Express generates from the API paths is linear as well', async () => {
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

  it('from zod that this project uses is linear as well', () => {
    const pattern = z.iso.datetime()._zod.def.pattern;
    expect(pattern).to.be.instanceOf(RegExp);
    expect(notLinear([pattern as RegExp])).to.deep.equal([]);
  });

  it('that is not linear is detected (control)', () => {
    const slow = [/=+$/, /^(a+)+$/, /a*a*b/, /\s+$/];
    for (const pattern of slow) expect(isLinear(pattern), String(pattern)).to.equal(false);
    for (const [source, first] of APART) {
      // The character begins an attempt and ends every other.
      expect(new RegExp(`^(?:${source})$`).test(first.repeat(2)), source).to.equal(false);
    }
  });
});
