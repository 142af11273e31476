import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { formatLoadFailure, isLoadFailure } from '../../../src/app/exit-codes.ts';

const missing = join(tmpdir(), 'no-such-folder', 'no-such-module.js');

/** Loads packages as secp256k1-native and sodium-native do, which need these loaders. */
const requireFrom = (name: string) => createRequire(createRequire(import.meta.url).resolve(name));

async function errorOf(load: () => unknown): Promise<unknown> {
  try {
    await load();
  } catch (error) {
    return error;
  }
  throw new Error('It was loaded.');
}

describe('isLoadFailure', () => {
  const failures: readonly (readonly [string, () => unknown])[] = [
    ['a missing module', () => import(pathToFileURL(missing).href)],
    ['a missing CommonJS module', () => createRequire(import.meta.url)(missing)],
    ['secp256k1-native without a build', () => requireFrom('secp256k1-native')('node-gyp-build')(tmpdir())],
    [
      'sodium-native without a build',
      () => requireFrom('sodium-native')('require-addon')('no-such-addon', pathToFileURL(missing).href),
    ],
    ['a library that cannot be opened', () => process.dlopen({ exports: {} }, missing)],
  ];
  for (const [name, load] of failures) {
    it(`recognises ${name}, and names the remedy`, async () => {
      const error = await errorOf(load);
      expect(isLoadFailure(error), String(error)).to.equal(true);
      expect(formatLoadFailure(error))
        .to.include((error as Error).message)
        .and.include('npm ci');
    });
  }

  it('leaves other errors alone', () => {
    for (const error of [new TypeError('x is not a function'), new Error('No such account'), 'text', null]) {
      expect(isLoadFailure(error), String(error)).to.equal(false);
    }
  });
});
