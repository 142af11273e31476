import { expect } from 'chai';
import { checkNativeModules, type ModuleLoader } from '../../../../src/adapters/machine/native-modules.ts';

function loader(modules: { readonly [name: string]: unknown }, files: readonly string[] = []): ModuleLoader {
  const load = (name: string): unknown => {
    if (name in modules) return modules[name];
    throw new Error(`Cannot find module '${name}'`);
  };
  return Object.assign(load, { cache: Object.fromEntries(files.map((file) => [file, {}])) });
}

const SODIUM = { 'sodium-native': {}, 'sodium-native/package.json': { version: '5.1.0' } };

describe('checkNativeModules', () => {
  it('fails for modules that cannot be loaded, with a remedy', () => {
    const { state, message, remedy } = checkNativeModules(['sodium-native', 'gone', 'broken'], loader(SODIUM));
    expect(state).to.equal('fail');
    expect(message).to.equal('gone, broken cannot be loaded');
    expect(remedy).to.include('npm ci');
  });

  it('fails when elliptic is loaded', () => {
    const file = '/app/node_modules/elliptic/lib/elliptic.js';
    const { state, message } = checkNativeModules(['sodium-native'], loader(SODIUM, [file]));
    expect(state).to.equal('fail');
    expect(message).to.include('elliptic');
    expect(checkNativeModules(['sodium-native'], loader(SODIUM, ['/app/node_modules/elliptical/x.js'])).state).to.equal(
      'ok',
    );
  });
});
