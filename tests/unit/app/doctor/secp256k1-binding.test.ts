import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { ModuleLoader } from '../../../../src/adapters/machine/native-modules.ts';
import { checkSecp256k1Binding } from '../../../../src/app/doctor/secp256k1-binding.ts';

describe('checkSecp256k1Binding', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'binding-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Loads a package with an unknown binary. */
  function loaderOf(binary: string, version: string): ModuleLoader {
    const file = join(folder, 'build/node_modules/secp256k1-native', binary);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'another binary');
    const load = (name: string): unknown => (name.endsWith('package.json') ? { version } : {});
    return Object.assign(load, { cache: { [join(folder, 'index.js')]: {}, [file]: {} } });
  }

  it('names the examined version, and warns about other platforms', () => {
    const [finding] = checkSecp256k1Binding();
    expect(finding?.message).to.include('secp256k1-native 1.1.3');
    expect(finding?.state).to.equal(process.platform === 'linux' && process.arch === 'x64' ? 'ok' : 'warning');
  });

  it('warns about another binary, and names the version to install', () => {
    const [finding] = checkSecp256k1Binding(loaderOf('prebuilds/linux-x64/node.napi.node', '1.2.0'));
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.match(/^secp256k1-native 1\.2\.0 is not the examined binary: .*node\.napi\.node$/);
    expect(finding?.remedy).to.include('installs version 1.1.3').and.include('0002-secp256k1-binding.md');
  });

  it('warns about a binary compiled at installation, and explains how to compile it', () => {
    const [finding] = checkSecp256k1Binding(loaderOf('build/Release/secp256k1.node', '1.1.3'));
    expect(finding?.state).to.equal('warning');
    expect(finding?.message).to.include('compiled during installation');
    expect(finding?.remedy).to.include('CFLAGS=-O1');
  });

  it('leaves a package that cannot be loaded to another check', () => {
    const load = (name: string): unknown => {
      throw new Error(`Cannot find module '${name}'`);
    };
    expect(checkSecp256k1Binding(Object.assign(load, { cache: {} }))).to.deep.equal([]);
  });
});
