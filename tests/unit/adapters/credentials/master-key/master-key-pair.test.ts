import fs, { rmSync, symlinkSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import {
  readMasterKeyPair,
  wipeMasterKeyPair,
} from '../../../../../src/adapters/credentials/master-key/master-key-pair.ts';
import { createMasterKeyFile, loadMasterKey, useWorkplace } from '../credentials-workplace.ts';

/** Runs `action` once, after `path` was found missing. */
function rightAfterMissing(path: string, action: () => void): void {
  const { openSync } = fs;
  fs.openSync = (opened, ...rest) => {
    try {
      return openSync(opened, ...rest);
    } catch (error) {
      if (opened === path) {
        restore();
        action();
      }
      throw error;
    }
  };
  const restore = () => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  };
  syncBuiltinESMExports();
}

describe('A pair of master key files', () => {
  const workplace = useWorkplace();
  const { openSync } = fs;
  afterEach(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });

  function previousId(): string | undefined {
    const pair = readMasterKeyPair(workplace().masterKeyFiles);
    wipeMasterKeyPair(pair);
    return pair.previous?.id;
  }

  function idIn(file: string): string {
    const key = loadMasterKey(file);
    key.destroy();
    return key.id;
  }

  it('has a previous key that a rotation creates during the lookup, or links', () => {
    const { previousMasterKeyFile: previous } = workplace();
    const elsewhere = workplace().path('elsewhere.key');
    createMasterKeyFile(elsewhere);
    for (const make of [() => createMasterKeyFile(previous), () => symlinkSync(elsewhere, previous)]) {
      rightAfterMissing(previous, make);
      expect(previousId()).to.be.a('string').and.to.equal(idIn(previous));
      rmSync(previous);
    }
  });

  it('has no previous key if one is created and retired during the lookup', () => {
    const { previousMasterKeyFile: previous } = workplace();
    rightAfterMissing(previous, () => {
      createMasterKeyFile(previous);
      rmSync(previous);
    });
    expect(previousId()).to.equal(undefined);
  });
});
