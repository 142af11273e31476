import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Token, tokenizer } from 'acorn';
import { expect } from 'chai';
import { isSafe } from 'redos-detector';
import { PROJECT_ROOT } from '../project-root.ts';

const BUILT = join(PROJECT_ROOT, 'dist');

/** Judged by hand, by source. */
const JUDGED: { readonly [source: string]: string } = {
  [String.raw`\{[^{}]*\}`]: 'attempts read disjoint text',
  [String.raw`(\{[^{}]*\})`]: 'attempts read disjoint text',
  [String.raw`\[(\d*)\]`]: 'attempts read disjoint text',
  [String.raw`\{([\w.]+)\}`]: 'attempts read disjoint text',
  '(?:^|&)timestamp=[1-9][0-9]{12}$': 'attempts read disjoint text',
  '([^&={}]+)=': "short templates of the operator, in the operator's hand",
  [String.raw`^(?:(?:[A-Z]+ )?\/[^\s"\\]*|[A-Za-z][\w.:-]*|\*)$`]: 'three attempts at most read the same text',
  [String.raw`^(?:[A-Za-z0-9][\w-]*\/){1,8}[A-Za-z0-9][\w.-]{0,127}$`]: 'two attempts at most read the same text',
  [String.raw`^(?:(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:)?alias\/[\w/-]{1,250}|(?:arn:aws[a-z-]{0,20}:kms:[a-z0-9-]{1,30}:\d{12}:key\/)?(?:mrk-)?[0-9a-f-]{32,36})$`]:
    'every repetition is bounded',
  [String.raw`^([a-z0-9-]{6,13})\.v1\.([0-9a-f]{16})\.([\x21-\x7e]{1,512})\.([\w-]{1,1024})$`]:
    'every repetition is bounded',
  [String.raw`\.(\d{12,15})(?:_([2-9]|[1-9]\d))?(\.[^.]+)?$`]: 'two attempts at most read the same text',
  '-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----': "small files of the operator, in the operator's hand",
  [String.raw`-----BEGIN ([A-Z0-9 ]+)-----([\s\S]*?)-----END \1-----`]:
    "small files of the operator, in the operator's hand",
  [String.raw`-----[^-]*-----|\s`]: "small files of the operator, in the operator's hand",
  [String.raw`\.(tsx)$|((?:\.d)?)((?:\.[^./]+?)?)\.([cm]?)ts$`]: "the compiler's own, which nothing calls",
};

/** Whether the paths of a failing match are bounded, so that time is linear. */
function isLinear({ source, flags }: RegExp): boolean {
  if (Object.hasOwn(JUDGED, source)) return true;
  // Large repetitions count as unbounded: only more paths, and faster.
  const loosened = new RegExp(source.replace(/\{(?:\d+,)?\d{2,}\}/g, '*'), flags);
  const { safe, score, error } = isSafe(loosened, { maxSteps: 50_000, timeout: 20_000 });
  return safe && error === null && !score.infinite;
}

/** Patterns that the code of a built file writes, and those that it makes of text while loading. */
async function patternsOf(file: string): Promise<readonly RegExp[]> {
  const text = readFileSync(file, 'utf8');
  const tokens = [...tokenizer(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true })];
  const found = tokens.flatMap((token: Token & { readonly value?: { readonly value: RegExp } }) =>
    token.type.label === 'regexp' && token.value ? [token.value.value] : [],
  );
  if (!text.includes('new RegExp(')) return found;
  await import(pathToFileURL(file).href);
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(_target, [source, flags]) {
      const pattern = new Original(source, flags);
      found.push(pattern);
      return pattern;
    },
  });
  try {
    // Again, with everything that it imports loaded.
    await import(`${pathToFileURL(file).href}?again`);
  } finally {
    globalThis.RegExp = Original;
  }
  return found;
}

describe('Regular expressions of the programs', () => {
  it('take time linear in the length of the text', async () => {
    const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      // Libraries of key helpers, which read no text of callers.
      .filter((file) => !file.includes('node_modules'));
    const unique = new Map<string, RegExp>();
    for (const file of files) {
      for (const pattern of await patternsOf(join(BUILT, file))) unique.set(String(pattern), pattern);
    }
    expect(unique.size).to.be.above(100);
    expect([...unique.values()].filter((pattern) => !isLinear(pattern))).to.deep.equal([]);
  }).timeout(120_000);

  it('are reported if they do not (control)', () => {
    for (const slow of [/=+$/, /^(a+)+$/, /a*a*b/, /\s+$/]) expect(isLinear(slow), String(slow)).to.equal(false);
  });
});
