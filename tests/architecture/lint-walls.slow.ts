import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PlantedCopy, PROJECT_ROOT, type Verdict } from './planted-copy.ts';
import { WALLS, type Wall } from './walls.ts';

const RULE = 'lint/style/noRestrictedImports';

/** Violations by rule, each planted in its own file. */
const HOUSE_RULES: { readonly [rule: string]: string } = {
  'lint/style/noDefaultExport': 'export default 1;\n',
  'lint/style/noEnum': 'export enum Side {\n  Buy,\n}\n',
  'lint/performance/noBarrelFile': "export { EMPTY_REGISTRY } from '../domain/model/registry.ts';\n",
  'lint/performance/noReExportAll': "export * from '../domain/model/registry.ts';\n",
  'lint/style/noParameterProperties': 'export class Pair {\n  constructor(readonly left: number) {}\n}\n',
  'lint/style/useImportType': "import { Clock } from '../ports/clock.ts';\nexport type Hands = Clock;\n",
  'lint/style/useNodejsImportProtocol': "import { join } from 'path';\nexport const joined = join('a', 'b');\n",
  'lint/correctness/noUndeclaredDependencies': "import 'left-pad';\n",
  'lint/suspicious/noConsole': "console.log('seen');\n",
  'lint/suspicious/noExplicitAny': 'export const anything: any = 1;\n',
  'lint/suspicious/noImportCycles': "import './planted-cycle.ts';\n",
};

/** Other import syntax that must not evade a wall. */
const IMPORT_FORMS = [
  "import type { Stats } from 'node:fs';",
  "import { statSync } from 'node:fs';",
  "import fs = require('node:fs');",
  "export { statSync as stat } from 'node:fs';",
  "export * from 'node:fs';",
  "export const late = import('node:fs');",
];

const FORMS_FILE = 'src/domain/model/planted-forms.ts';
const CLEAN_FILE = 'src/app/planted-clean.ts';
const CLEAN_TEXT = [
  "import type { Clock } from '../ports/clock.ts';\n",
  '/** Nothing here breaks a rule. */',
  'export function soon(clock: Clock): number {',
  '  return clock.now() + 1;',
  '}\n',
].join('\n');

const fileOf = (wall: Wall): string => `${wall.folder}/planted-imports.ts`;
const forbiddenIn = (wall: Wall): readonly string[] => Object.values(wall.forbidden).flat();
const importsOf = (wall: Wall): readonly string[] => [...wall.allowed, ...forbiddenIn(wall)];
const statementOf = (entry: string): string => (entry.includes(' ') ? entry : `import '${entry}';`);
const ruleFile = (rule: string): string => `src/app/planted-${rule.split('/').at(-1)?.toLowerCase()}.ts`;

function plants(): ReadonlyMap<string, string> {
  const walls = WALLS.map((wall) => [fileOf(wall), `${importsOf(wall).map(statementOf).join('\n')}\n`] as const);
  const rules = Object.entries(HOUSE_RULES).map(([rule, text]) => [ruleFile(rule), text] as const);
  const cycle = `import './${ruleFile('lint/suspicious/noImportCycles').split('/').at(-1)}';\n`;
  return new Map([
    ...walls,
    ...rules,
    ['src/app/planted-cycle.ts', cycle],
    [FORMS_FILE, `${IMPORT_FORMS.join('\n')}\n`],
    [CLEAN_FILE, CLEAN_TEXT],
  ]);
}

describe('npm run lint: import boundaries', () => {
  let verdict: Verdict;

  before(async () => {
    const copy = await PlantedCopy.make(plants());
    try {
      verdict = await copy.lint();
    } finally {
      await copy.remove();
    }
  });

  const messagesAt = (file: string, line: number, rule: string): readonly string[] =>
    verdict.complaints
      .filter((at) => at.file === file && at.line === line && at.rule === rule)
      .map(({ message }) => message);

  it('fails on violations', () => {
    expect(verdict.exitCode).to.not.equal(0);
  });

  it('is tested with a planted import for every boundary in biome.json', async () => {
    const { overrides } = JSON.parse(await readFile(join(PROJECT_ROOT, 'biome.json'), 'utf8'));
    const walled = overrides
      .filter((override: Override) => override.linter?.rules?.style?.noRestrictedImports !== undefined)
      .map((override: Override) => override.includes[0]);
    expect(new Set(WALLS.map(({ override }) => override))).to.deep.equal(new Set(walled));
  });

  it('has a boundary for every folder', async () => {
    const walled = new Set(WALLS.map(({ override }) => override));
    const folders = await Promise.all(
      ['src', 'src/domain', 'src/adapters'].map(async (folder) => {
        const entries = await readdir(join(PROJECT_ROOT, folder), { withFileTypes: true });
        return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`);
      }),
    );
    const groups = ['src/domain', 'src/adapters', 'src/native'];
    const open = folders.flat().filter((folder) => !groups.includes(folder) && !walled.has(`${folder}/**`));
    expect(open).to.deep.equal([]);
  });

  for (const wall of WALLS) {
    describe(wall.folder, () => {
      const lineOf = (path: string): number => importsOf(wall).indexOf(path) + 1;

      for (const path of wall.allowed) {
        it(`may import ${path}`, () => {
          expect(messagesAt(fileOf(wall), lineOf(path), RULE)).to.deep.equal([]);
        });
      }

      for (const [messageStart, paths] of Object.entries(wall.forbidden)) {
        for (const path of paths) {
          it(`may not import ${path}`, () => {
            const messages = messagesAt(fileOf(wall), lineOf(path), RULE);
            expect(
              messages.some((message) => message.startsWith(messageStart)),
              messages.join('\n'),
            ).to.equal(true);
          });
        }
      }
    });
  }

  describe('any import syntax', () => {
    for (const [index, form] of IMPORT_FORMS.entries()) {
      it(`is detected: ${form}`, () => {
        expect(messagesAt(FORMS_FILE, index + 1, RULE)).to.have.lengthOf(1);
      });
    }
  });

  describe('project rules', () => {
    for (const rule of Object.keys(HOUSE_RULES)) {
      it(`report violations: ${rule}`, () => {
        const rules = verdict.complaints.filter(({ file }) => file === ruleFile(rule)).map((at) => at.rule);
        expect(rules).to.include(rule);
      });
    }

    it('accept a clean file', () => {
      expect(verdict.complaints.filter(({ file }) => file === CLEAN_FILE)).to.deep.equal([]);
    });
  });
});

interface Override {
  readonly includes: readonly string[];
  readonly linter?: { readonly rules?: { readonly style?: { readonly noRestrictedImports?: object } } };
}
