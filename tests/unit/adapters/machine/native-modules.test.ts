import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'chai';
import {
  checkNativeModules,
  checkSecp256k1Binding,
  type ModuleLoader,
} from '../../../../src/adapters/machine/native-modules.ts';
import { issueOf, useTemporaryTree } from './fake-machine.ts';

/** Loads any package except those that are missing. */
function loader({ missing = [], files = [], version = '1.1.3' }: LoaderOptions): ModuleLoader {
  const load = (name: string): unknown => {
    if (missing.includes(name)) throw new Error(`Cannot find module '${name}'`);
    return { version };
  };
  return Object.assign(load, { cache: Object.fromEntries(files.map((file) => [file, {}])) });
}

interface LoaderOptions {
  readonly missing?: readonly string[];
  /** Loaded files. */
  readonly files?: readonly string[];
  readonly version?: string;
}

describe('checkNativeModules', () => {
  it('fails for modules that cannot be loaded, with a remedy', () => {
    const missing = ['sodium-native', 'fs-native-extensions'];
    const { state, message, remedy } = issueOf(checkNativeModules(loader({ missing })));
    expect(state).to.equal('fail');
    expect(message).to.equal('sodium-native, fs-native-extensions cannot be loaded');
    expect(remedy).to.include('npm ci');
  });

  it('fails when elliptic is loaded', () => {
    const loaded = (name: string) => checkNativeModules(loader({ files: [`/app/node_modules/${name}/x.js`] }));
    expect(issueOf(loaded('elliptic')).message).to.include('elliptic');
    expect(loaded('elliptical')).to.be.a('string');
  });
});

describe('checkSecp256k1Binding', () => {
  const tree = useTemporaryTree();

  /** What is found with a package that has an unknown binary. */
  function checkWith(binary: string, version: string) {
    const file = tree.path(`build/node_modules/secp256k1-native/${binary}`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, 'another binary');
    return issueOf(checkSecp256k1Binding(loader({ files: [tree.path('index.js'), file], version })));
  }

  it('names the examined version, and warns about other platforms', () => {
    const outcome = checkSecp256k1Binding();
    expect(JSON.stringify(outcome)).to.include('secp256k1-native 1.1.3');
    expect(typeof outcome === 'string').to.equal(process.platform === 'linux' && process.arch === 'x64');
  });

  it('warns about another binary, and names the version to install', () => {
    const { state, message, remedy } = checkWith('prebuilds/linux-x64/node.napi.node', '1.2.0');
    expect(state).to.equal('warning');
    expect(message).to.match(/^secp256k1-native 1\.2\.0 is not the examined binary: .*node\.napi\.node$/);
    expect(remedy).to.include('installs version 1.1.3').and.include('0002-secp256k1-binding.md');
  });

  it('warns about a binary compiled at installation, and explains how to compile it', () => {
    const { state, message, remedy } = checkWith('build/Release/secp256k1.node', '1.1.3');
    expect(state).to.equal('warning');
    expect(message).to.include('compiled during installation');
    expect(remedy).to.include('CFLAGS=-O1');
  });
});
