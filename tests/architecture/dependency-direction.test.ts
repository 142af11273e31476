import { expect } from 'chai';
import { findImports, type ImportGraph, readImportGraph, resolveImport } from './import-graph.ts';
import { findCycle, findLayerFaults } from './layers.ts';
import { PROJECT_ROOT } from './planted-copy.ts';

/** A tree in which `file` imports `target`, and `target`, where it is a source file, imports nothing. */
function treeWith(file: string, target: string): ImportGraph {
  const tree = new Map<string, readonly string[]>([[file, [target]]]);
  if (target.startsWith('src/')) tree.set(target, []);
  return tree;
}

const DOWNWARD: readonly (readonly [file: string, target: string])[] = [
  ['src/domain/payload/a.ts', 'src/domain/model/b.ts'],
  ['src/domain/presets/a.ts', 'src/domain/model/b.ts'],
  ['src/ports/a.ts', 'src/domain/model/b.ts'],
  ['src/domain/services/a.ts', 'src/domain/payload/b.ts'],
  ['src/domain/services/a.ts', 'src/ports/b.ts'],
  ['src/adapters/driven/clock/a.ts', 'src/ports/b.ts'],
  ['src/adapters/driven/clock/a.ts', 'src/adapters/driven/clock/part/b.ts'],
  ['src/adapters/driven/signer/a.ts', 'src/secure-memory/b.ts'],
  ['src/adapters/driven/signer/a.ts', '<ethers>'],
  ['src/adapters/driven/signer/a.ts', '<sodium-native>'],
  ['src/adapters/driven/credential-source/a.ts', 'src/json-text/b.ts'],
  ['src/json-text/a.ts', 'src/json-text/b.ts'],
  ['src/redis/a.ts', 'src/files/b.ts'],
  ['src/redis/a.ts', '<@redis/client>'],
  ['src/adapters/driven/usage-ledger/a.ts', 'src/redis/b.ts'],
  ['src/json-text/a.ts', '<jsonc-parser>'],
  ['src/adapters/driving/http/a.ts', 'src/domain/services/b.ts'],
  ['src/adapters/driving/cli/a.ts', 'src/domain/presets/b.ts'],
  ['src/adapters/driving/http/a.ts', 'src/json-text/b.ts'],
  ['src/adapters/driving/http/a.ts', '<express>'],
  ['src/machine/a.ts', 'src/secure-memory/b.ts'],
  ['src/machine/a.ts', '<node:fs>'],
  ['src/composition/a.ts', 'src/files/b.ts'],
  ['src/composition/a.ts', 'src/machine/b.ts'],
  ['src/composition/a.ts', 'src/secure-memory/b.ts'],
  ['src/composition/a.ts', '<sodium-native>'],
  ['src/composition/a.ts', 'src/adapters/driven/clock/b.ts'],
  ['src/main.ts', 'src/composition/b.ts'],
  ['src/cli.ts', 'src/composition/b.ts'],
  ['src/cli.ts', 'src/load-or-explain.ts'],
  ['src/composition/a.ts', 'src/load-or-explain.ts'],
  ['src/client/a.ts', 'src/client/b.ts'],
  ['src/client/a.ts', '<node:https>'],
  ['src/client/a.ts', '<ethers/crypto>'],
];

const AGAINST: readonly (readonly [file: string, target: string])[] = [
  ['src/domain/model/a.ts', 'src/domain/payload/b.ts'],
  ['src/domain/payload/a.ts', 'src/ports/b.ts'],
  ['src/domain/payload/a.ts', 'src/domain/services/b.ts'],
  ['src/domain/presets/a.ts', 'src/domain/payload/b.ts'],
  ['src/domain/services/a.ts', 'src/domain/presets/b.ts'],
  ['src/ports/a.ts', 'src/domain/payload/b.ts'],
  ['src/ports/a.ts', 'src/domain/services/b.ts'],
  ['src/domain/services/a.ts', 'src/adapters/driven/clock/b.ts'],
  ['src/domain/services/a.ts', 'src/secure-memory/b.ts'],
  ['src/secure-memory/a.ts', 'src/domain/model/b.ts'],
  ['src/adapters/driven/clock/a.ts', 'src/adapters/driven/signer/b.ts'],
  ['src/adapters/driven/clock/a.ts', 'src/adapters/driving/http/b.ts'],
  ['src/adapters/driving/http/a.ts', 'src/adapters/driven/clock/b.ts'],
  ['src/adapters/driving/http/a.ts', 'src/adapters/driving/cli/b.ts'],
  ['src/adapters/driving/http/a.ts', 'src/secure-memory/b.ts'],
  ['src/adapters/driving/cli/a.ts', 'src/secure-memory/b.ts'],
  ['src/adapters/driving/http/a.ts', '<sodium-native>'],
  ['src/adapters/driving/cli/a.ts', '<secp256k1-native/binding.js>'],
  ['src/domain/services/a.ts', 'src/json-text/b.ts'],
  ['src/json-text/a.ts', 'src/domain/model/b.ts'],
  ['src/redis/a.ts', 'src/ports/b.ts'],
  ['src/redis/a.ts', 'src/adapters/driven/clock/b.ts'],
  ['src/json-text/a.ts', 'src/adapters/driven/clock/b.ts'],
  ['src/json-text/a.ts', '<node:fs>'],
  ['src/json-text/a.ts', '<jsonc-parser-of-another>'],
  ['src/machine/a.ts', 'src/domain/model/b.ts'],
  ['src/machine/a.ts', 'src/composition/b.ts'],
  ['src/machine/a.ts', '<sodium-native>'],
  ['src/adapters/driven/clock/a.ts', 'src/machine/b.ts'],
  ['src/adapters/driving/cli/a.ts', 'src/machine/b.ts'],
  ['src/secure-memory/a.ts', 'src/machine/b.ts'],
  ['src/main.ts', 'src/machine/b.ts'],
  ['src/adapters/driven/clock/a.ts', 'src/composition/b.ts'],
  ['src/composition/a.ts', 'src/main.ts'],
  ['src/main.ts', 'src/cli.ts'],
  ['src/load-or-explain.ts', 'src/composition/b.ts'],
  ['src/client/a.ts', 'src/domain/model/b.ts'],
  ['src/client/a.ts', 'src/access-messages/b.ts'],
  ['src/client/a.ts', '<ethers/wallet>'],
  ['src/client/a.ts', '<bs58>'],
  ['src/composition/a.ts', 'src/client/b.ts'],
  ['src/adapters/driving/http/a.ts', 'src/client/b.ts'],
  ['src/domain/model/a.ts', '<ethers>'],
  ['src/domain/services/a.ts', '<node:crypto>'],
  ['src/ports/a.ts', '<inversify>'],
  ['src/composition/a.ts', 'tests/doubles/mock-key-store.ts'],
  ['src/composition/a.ts', 'package.json'],
  ['src/utils/a.ts', 'src/domain/model/b.ts'],
  ['src/adapters/a.ts', 'src/ports/b.ts'],
];

describe('the direction of imports', () => {
  describe('in the tree', () => {
    let graph: ImportGraph;

    before(async () => {
      graph = await readImportGraph(PROJECT_ROOT);
    });

    it('is read at all', () => {
      expect(graph.get('src/ports/key-store.ts')).to.deep.equal([
        'src/domain/model/algorithm.ts',
        'src/domain/model/key-handle.ts',
        'src/domain/model/key-protection.ts',
        'src/domain/model/secret-bytes.ts',
      ]);
      expect(graph.get('src/secure-memory/locked-buffer.ts')).to.include('<sodium-native>');
    });

    it('follows the order of the house', () => {
      expect(findLayerFaults(graph)).to.deep.equal([]);
    });

    it('has no circle', () => {
      expect(findCycle(graph)).to.equal(undefined);
    });
  });

  describe('is told right', () => {
    for (const [file, target] of DOWNWARD) {
      it(`${file} may import ${target}`, () => {
        expect(findLayerFaults(treeWith(file, target))).to.deep.equal([]);
      });
    }

    for (const [file, target] of AGAINST) {
      it(`${file} may not import ${target}`, () => {
        const faults = findLayerFaults(treeWith(file, target)).filter((fault) => fault.startsWith(file));
        expect(faults).to.have.lengthOf(1);
      });
    }

    it('an import of a file that is not there is a fault', () => {
      const faults = findLayerFaults(new Map([['src/main.ts', ['src/composition/gone.ts']]]));
      expect(faults).to.deep.equal(['src/main.ts imports src/composition/gone.ts: there is no such file']);
    });

    it('a circle of three is found, also off the way from the first file', () => {
      const graph = new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['d']],
        ['d', ['b']],
      ]);
      expect(findCycle(graph)).to.deep.equal(['b', 'c', 'd', 'b']);
    });

    it('two ways to one file are no circle', () => {
      const graph = new Map([
        ['a', ['b', 'c']],
        ['b', ['d']],
        ['c', ['d']],
        ['d', []],
      ]);
      expect(findCycle(graph)).to.equal(undefined);
    });
  });

  describe('sees every way of writing an import', () => {
    const forms: readonly string[] = [
      "import './wanted.ts';",
      'import "./wanted.ts";',
      "import one from './wanted.ts';",
      "import { one, two as three } from './wanted.ts';",
      "import {\n  one,\n  two,\n} from './wanted.ts';",
      "import type { One } from './wanted.ts';",
      "import * as all from './wanted.ts';",
      "export * from './wanted.ts';",
      "export { one } from './wanted.ts';",
      "export type { One } from './wanted.ts';",
      "import one = require('./wanted.ts');",
      "const one = await import('./wanted.ts');",
      'const one = await import(`./wanted.ts`);',
      "type One = import('./wanted.ts').One;",
      "const one = require('./wanted.ts');",
      "const first = 1;\nimport { one } from './wanted.ts';",
    ];
    for (const form of forms) {
      it(form.replaceAll('\n', ' '), () => {
        expect(findImports(`${form}\n`)).to.deep.equal(['./wanted.ts']);
      });
    }

    it('and takes no text for one', () => {
      const source =
        " * Words of import from 'elsewhere'.\nexport const text = 'import';\nexport function from(): void {}\n";
      expect(findImports(source)).to.deep.equal([]);
    });

    it('and resolves it from the file that imports', () => {
      expect(resolveImport('src/ports/clock.ts', '../domain/model/usage.ts')).to.equal('src/domain/model/usage.ts');
      expect(resolveImport('src/ports/clock.ts', './../../tests/a.ts')).to.equal('tests/a.ts');
      expect(resolveImport('src/ports/clock.ts', 'node:fs')).to.equal('<node:fs>');
    });
  });
});
