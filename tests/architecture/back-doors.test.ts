import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PlantedCopy, PROJECT_ROOT } from './planted-copy.ts';

/** Ways around compiler and linter by name, also forbidden in comments. */
const BACK_DOORS: { readonly [name: string]: RegExp } = {
  'a declaration of something that is not there': /\bdeclare\s/,
  'a reference to other types': /\/\/\/\s*<\s*reference/,
  'a silenced compiler': /@ts-/,
  'the global object': /\bglobalThis\b/,
  'an import that is called': /\bimport\s*\(/,
  'a require that is called': /\brequire\s*\(/,
  'a function made from text': /\bFunction\s*\(/,
  'text that is run': /\beval\s*\(/,
};

/** Folders of the core. */
const CORE_FOLDERS = ['src/domain', 'src/ports'];

/** Core files by path from `root`, the project's. */
async function readCoreTexts(root: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const folder of CORE_FOLDERS) {
    const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      texts.set(path.slice(join(root, '/').length).replaceAll('\\', '/'), await readFile(path, 'utf8'));
    }
  }
  return texts;
}

/** All back doors in core files as `path: name`; declaration files are one themselves. */
function findBackDoors(texts: ReadonlyMap<string, string>): readonly string[] {
  return [...texts].flatMap(([file, text]) => [
    ...(/\.d\.[cm]?ts$/.test(file) ? [`${file}: a file of declarations`] : []),
    ...Object.entries(BACK_DOORS)
      .filter(([, pattern]) => pattern.test(text))
      .map(([name]) => `${file}: ${name}`),
  ]);
}

/** Code that evades the walls, by expected report. */
const PLANTED: { readonly [name: string]: readonly string[] } = {
  'a declaration of something that is not there': [
    'declare const process: { readonly pid: number };\nexport const planted = process.pid;\n',
    "declare module 'node:fs' {\n  export const statSync: unknown;\n}\n",
    'export {};\ndeclare global {\n  var Buffer: unknown;\n}\n',
  ],
  'a reference to other types': [
    '/// <reference types="node" />\nexport const planted = process.pid;\n',
    '///<reference path="../../native/sodium-native.d.ts" />\n',
  ],
  'a silenced compiler': [
    '// @ts-ignore\nexport const planted = process.pid;\n',
    '// @ts-expect-error\nexport const planted = process.pid;\n',
    '// @ts-nocheck\nexport const planted = process.pid;\n',
  ],
  'the global object': [
    "export const planted = (globalThis as { process?: unknown })['process'];\n",
    "export const planted: unknown = Reflect.get(globalThis, 'process');\n",
  ],
  'an import that is called': [
    "export const planted = import('node:fs');\n",
    'export const load = (name: string): Promise<unknown> => import (name);\n',
    "export type Planted = import('node:os').CpuInfo;\n",
  ],
  'a require that is called': ["export const planted = require('node:fs');\n"],
  'a function made from text': [
    "export const planted = new Function('return process')();\n",
    "export const planted = Function('return process')();\n",
  ],
  'text that is run': ["export const planted = eval('process');\n", "export const planted = eval ('process');\n"],
};

const FOLDERS = ['src/domain/model', 'src/domain/payload', 'src/domain/services', 'src/ports'];

describe('Type-check escape hatches in the core', () => {
  describe('in the source tree', () => {
    let texts: ReadonlyMap<string, string>;

    before(async () => {
      texts = await readCoreTexts(PROJECT_ROOT);
    });

    it('are searched for in all core files', () => {
      expect([...texts.keys()]).to.include.members([
        'src/domain/model/json.ts',
        'src/domain/model/text/jcs.ts',
        'src/domain/services/sign-request-service.ts',
        'src/ports/key-store.ts',
      ]);
    });

    it('do not exist', () => {
      expect(findBackDoors(texts)).to.deep.equal([]);
    });
  });

  describe('are detected in planted files', () => {
    const plants = FOLDERS.flatMap((folder) =>
      Object.entries(PLANTED).flatMap(([name, planted], kind) =>
        planted.map((text, index) => ({ file: `${folder}/planted-${kind}-${index}.ts`, text, name })),
      ),
    );
    let found: readonly string[];

    before(async () => {
      const types = FOLDERS.map((folder) => [`${folder}/planted.d.ts`, 'export type Planted = string;\n'] as const);
      const copy = await PlantedCopy.make(
        new Map([...plants.map(({ file, text }) => [file, text] as const), ...types]),
      );
      try {
        found = findBackDoors(await readCoreTexts(copy.root));
      } finally {
        await copy.remove();
      }
    });

    for (const { file, text, name } of plants) {
      it(`${file}: ${text.split('\n').slice(0, 2).join(' ')}`, () => {
        expect(found).to.include(`${file}: ${name}`);
      });
    }

    for (const folder of FOLDERS) {
      it(`${folder}/planted.d.ts`, () => {
        expect(found).to.include(`${folder}/planted.d.ts: a file of declarations`);
      });
    }

    it('and in no other file', () => {
      const files = new Set(found.map((line) => line.split(':')[0]));
      expect(files.size).to.equal(plants.length + FOLDERS.length);
    });
  });

  it('are not detected in words that only resemble them', () => {
    const text =
      'export const declared = 1;\nexport const retrieval = (imports: number): number => imports;\nretrieval(1);\n';
    expect(findBackDoors(new Map([['src/domain/model/planted.ts', text]]))).to.deep.equal([]);
  });
});
