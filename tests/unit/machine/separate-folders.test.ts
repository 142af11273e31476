import { mkdirSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { checkSeparateFolders } from '../../../src/machine/separate-folders.ts';
import { useTemporaryTree } from './temporary-tree.ts';

describe('checkSeparateFolders', () => {
  const tree = useTemporaryTree();
  const check = (masterKey: string, credentials: string) =>
    checkSeparateFolders(tree.path(masterKey), tree.path(credentials)).state;

  it('is content with two folders, also when one is in the other', () => {
    expect(check('secrets/master.key', 'config/credentials.json')).to.equal('ok');
    expect(check('config/secrets/master.key', 'config/credentials.json')).to.equal('ok');
  });

  it('warns of one folder, however it is written', () => {
    expect(check('config/master.key', 'config/credentials.json')).to.equal('warning');
    expect(check('config/../config/master.key', './config/credentials.json')).to.equal('warning');
    expect(checkSeparateFolders('master.key', './credentials.json').state).to.equal('warning');
  });

  it('warns of one folder behind a link', () => {
    mkdirSync(tree.path('config'));
    symlinkSync('config', tree.path('secrets'));
    expect(check('secrets/master.key', 'config/credentials.json')).to.equal('warning');
  });

  it('says where to put the key', () => {
    const { remedy } = checkSeparateFolders('master.key', 'credentials.json');
    expect(remedy).to.include('SIGNING_MASTER_KEY_FILE');
  });
});
