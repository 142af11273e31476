import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

/** Violations by path: text, and what is reported. */
const PLANTED: { readonly [path: string]: readonly [text: string, ...reported: readonly string[]] } = {
  // The core
  'src/domain/model/node.ts': ["import { statSync } from 'node:fs';", 'imports node:fs'],
  'src/domain/services/library.ts': ["import { z } from 'zod';", 'imports zod'],
  'src/domain/model/port.ts': ["import type { Clock } from '../../ports/clock.ts';", 'imports ../../ports/clock.ts'],
  'src/domain/payload/service.ts': ["export * from '../services/x.ts';", 'imports ../services/x.ts'],
  'src/domain/flow/detour.ts': ["import './../model/../services/x.ts';", 'imports ./../model/../services/x.ts'],
  'src/ports/adapter.ts': [
    "import '../adapters/vault/locked-buffer.ts';",
    'imports ../adapters/vault/locked-buffer.ts',
  ],
  // Adapters
  'src/adapters/limits/sideways.ts': ["import '../usage/snapshot.ts';", 'imports ../usage/snapshot.ts'],
  'src/adapters/usage/chain.ts': ["import '../audit/writer/x.ts';", 'imports ../audit/writer/x.ts'],
  'src/adapters/audit/record/key.ts': ["import '../audit-key.ts';", 'imports ../audit-key.ts'],
  'src/adapters/http/key.ts': ["import '../vault/locked-buffer.ts';", 'imports ../vault/locked-buffer.ts'],
  'src/adapters/cli/token/sodium.ts': ["import sodium from 'sodium-native';", 'imports sodium-native'],
  'src/adapters/vault/inner.ts': ["import 'sodium-native/binding.js';", 'imports sodium-native/binding.js'],
  'src/adapters/auth/composed.ts': ["import { serve } from '../../app/serve.ts';", 'imports ../../app/serve.ts'],
  'src/adapters/signing/container.ts': ["import { injectable } from 'inversify';", 'imports inversify'],
  'src/adapters/policy/unlisted.ts': ["import 'left-pad';", 'imports left-pad'],
  'src/adapters/files/require.ts': ["import { createRequire } from 'node:module';", 'imports node:module'],
  // ethers never sees a private key
  'src/adapters/signing/key-class.ts': [
    "import { keccak256, SigningKey } from 'ethers/crypto';",
    'imports ethers/crypto',
  ],
  'src/adapters/signing/renamed.ts': [
    "import { SigningKey as keccak256 } from 'ethers/crypto';",
    'imports ethers/crypto',
  ],
  'src/adapters/signing/type.ts': ["import { type SigningKey } from 'ethers/crypto';", 'imports ethers/crypto'],
  'src/adapters/signing/exported.ts': ["export { SigningKey } from 'ethers/crypto';", 'imports ethers/crypto'],
  'src/adapters/signing/namespace.ts': ["import * as crypto from 'ethers/crypto';", 'imports ethers/crypto'],
  'src/adapters/signing/default.ts': ["import all, { keccak256 } from 'ethers/crypto';", 'imports ethers/crypto'],
  'src/adapters/signing/late.ts': ["export const late = import('ethers/crypto');", 'imports ethers/crypto'],
  'src/adapters/signing/whole.ts': ["import { getBytes } from 'ethers';", 'imports ethers'],
  'src/adapters/signing/hidden.ts': [
    "import { keccak256 /* } from */, SigningKey } from 'ethers/crypto';",
    'imports ethers/crypto',
  ],
  // Programs, client, folders
  'src/app/program.ts': ["import '../cli.ts';", 'imports ../cli.ts'],
  'src/main.ts': ["import './adapters/http/app.ts';", 'imports ./adapters/http/app.ts'],
  'src/client/model.ts': ["import type { Json } from '../domain/model/json.ts';", 'imports ../domain/model/json.ts'],
  'src/app/outside.ts': ["import '../../scripts/x.ts';", 'imports ../../scripts/x.ts'],
  'src/adapters/new/file.ts': ['export {};', 'is in no folder of the table'],
  'src/other.ts': ['export {};', 'is in no folder of the table'],
  // Forms of imports
  'src/adapters/http/types.ts': ["export type { Key } from '../vault/x.ts';", 'imports ../vault/x.ts'],
  'src/adapters/http/inline.ts': ["export type Key = import('../vault/x.ts').Key;", 'imports ../vault/x.ts'],
  'src/adapters/http/lazy.ts': ['export const late = import(`../vault/x.ts`);', 'imports ../vault/x.ts'],
  'src/adapters/http/computed.ts': ['export const late = import(name);', 'imports a computed path'],
  'src/adapters/http/built-in.ts': ["process.getBuiltinModule('node:module');", 'imports node:module'],
  'src/adapters/http/named.ts': ['process.getBuiltinModule(name);', 'imports a computed path'],
  'src/adapters/http/marked.ts': ["\uFEFFimport '../vault/x.ts';", 'imports ../vault/x.ts'],
  'src/adapters/http/backslash.ts': ["import './..\\\\vault\\\\x.ts';", 'imports ./..\\vault\\x.ts'],
  'src/adapters/http/noted.ts': ["export type Key = import(/* x */ '../vault/x.ts').Key;", 'imports ../vault/x.ts'],
  'src/adapters/http/page.tsx': ["import '../vault/x.ts';", 'imports ../vault/x.ts'],
  'src/adapters/http/equals.ts': ["import key = require('../vault/x.ts');", 'imports ../vault/x.ts'],
  // Back doors of the core
  'src/domain/model/global.ts': ['export const planted = globalThis;', 'evades checks: globalThis'],
  'src/domain/model/declared.ts': ['declare const process: unknown;', 'evades checks: declare '],
  'src/domain/model/referred.ts': ['/// <reference types="node" />', 'evades checks: /// <reference'],
  'src/ports/silenced.ts': ['// @ts-expect-error\nexport {};', 'evades checks: @ts-expect'],
  'src/ports/called.ts': [
    "export const f = eval('1') + Function ('');",
    'evades checks: eval(',
    'evades checks: Function',
  ],
  'src/ports/built.ts': ["(() => 1).constructor('return process')();", 'evades checks: .constructor'],
  'src/ports/types.d.ts': ['export {};', 'declares what nothing implements'],
};

/** Lines of the check. */
function checkWalls(folder: string): readonly string[] {
  const check = ['--import', 'tsx', 'scripts/walls/check-walls.ts', folder];
  return spawnSync(process.execPath, check, { cwd: PROJECT_ROOT, encoding: 'utf8' }).stdout.trimEnd().split('\n');
}

describe('Walls of src', function () {
  this.timeout(60_000);

  it('report each kind of violation, and nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-walls-'));
    for (const [path, [text]] of Object.entries(PLANTED)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const found = checkWalls(folder).filter((line) => line.startsWith('src/'));
    rmSync(folder, { recursive: true });
    const expected = Object.entries(PLANTED).flatMap(([path, [, ...reported]]) =>
      reported.map((what) => `${path} ${what}`),
    );
    expect(found.map((line) => line.split('. ')[0]).toSorted()).to.deep.equal(expected.toSorted());
  });

  it('include the compiler: it sees the whole core without the types of Node', () => {
    const tsc = ['node_modules/.bin/tsc', '-p', 'tsconfig.core.json', '--showConfig'];
    const { compilerOptions, files } = JSON.parse(
      execFileSync(process.execPath, tsc, { cwd: PROJECT_ROOT, encoding: 'utf8' }),
    );
    expect(compilerOptions).to.deep.include({ types: [], lib: ['es2023', 'es2024.string'] });
    const core = ['src/domain', 'src/ports'].flatMap((folder) =>
      readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `./${folder}/${path}`,
      ),
    );
    expect(files).to.include.members(core.filter((path) => path.endsWith('.ts')));
    expect(JSON.parse(readProjectFile('package.json')).scripts.typecheck).to.include('tsc -p tsconfig.core.json');
  });
});
