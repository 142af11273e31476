import { expect } from 'chai';
import { PlantedCopy, type Verdict } from './planted-copy.ts';

/** APIs forbidden in the core, with otherwise correct code that uses them. */
const OUTSIDE_OF_THE_CORE: { readonly [name: string]: string } = {
  'node:fs': "import { statSync } from 'node:fs';\nexport const planted = statSync;\n",
  'node:crypto': "import type { Hash } from 'node:crypto';\nexport type Planted = Hash;\n",
  'node:os': "export type Planted = import('node:os').CpuInfo;\n",
  'node:path': 'export const planted = import(`node:path`);\n',
  Buffer: "export const planted = Buffer.from('a');\n",
  process: 'export const planted = process.pid;\n',
  setTimeout: 'export const planted = setTimeout(() => undefined, 1);\n',
  console: "export const planted = (): void => console.log('a');\n",
  fetch: "export const planted = fetch('a');\n",
  require: "export const planted = require('node:fs');\n",
};

const FOLDERS = ['src/domain/model', 'src/domain/payload', 'src/domain/services', 'src/ports'];

const CLEAN_TEXT = "export const planted: Uint8Array = new TextEncoder().encode(JSON.stringify({ at: [1, 'a'] }));\n";

const NAMES = Object.keys(OUTSIDE_OF_THE_CORE);
const plantedFile = (folder: string, index: number): string => `${folder}/planted-${index}.ts`;
const cleanFile = (folder: string): string => `${folder}/planted-clean.ts`;

function plants(): ReadonlyMap<string, string> {
  const texts = Object.values(OUTSIDE_OF_THE_CORE);
  return new Map(
    FOLDERS.flatMap((folder) => [
      ...texts.map((text, index) => [plantedFile(folder, index), text] as const),
      [cleanFile(folder), CLEAN_TEXT] as const,
    ]),
  );
}

describe('npm run typecheck: the core compiles without Node types', () => {
  let core: Verdict;
  let whole: Verdict;

  before(async () => {
    const copy = await PlantedCopy.make(plants());
    try {
      [core, whole] = await Promise.all([copy.compile('tsconfig.core.json'), copy.compile('tsconfig.json')]);
    } finally {
      await copy.remove();
    }
  });

  it('fails if the core uses Node', () => {
    expect(core.exitCode).to.not.equal(0);
  });

  for (const folder of FOLDERS) {
    describe(folder, () => {
      for (const [index, name] of NAMES.entries()) {
        it(`cannot resolve ${name}`, () => {
          const messages = core.complaints
            .filter(({ file }) => file === plantedFile(folder, index))
            .map((at) => at.message);
          expect(messages.join('\n')).to.match(new RegExp(`Cannot find (name|module) '${name}'`));
        });
      }

      it('resolves ECMAScript and TextEncoder', () => {
        expect(core.complaints.filter(({ file }) => file === cleanFile(folder))).to.deep.equal([]);
      });
    });
  }

  it('compiles the same files with Node types (control)', () => {
    const planted = new Set(plants().keys());
    expect(whole.complaints.filter(({ file }) => planted.has(file))).to.deep.equal([]);
  });
});
