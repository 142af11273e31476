import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { checkDiskSpace, checkSeparateFolders } from '../../../../src/adapters/machine/disk-space.ts';
import { findAsNobody } from './as-nobody.ts';
import { issueOf, useTemporaryTree } from './fake-machine.ts';

const MIB = 1024 ** 2;

describe('checkDiskSpace', () => {
  const tree = useTemporaryTree();
  const check = (name: string, free?: number) =>
    checkDiskSpace(tree.path(name), free === undefined ? undefined : () => free);

  it('passes with a writable folder and enough space, naming the amount', () => {
    expect(check('audit.jsonl', 20 * 1024 * MIB)).to.equal(`20 GiB free in ${tree.path().replace(/\/$/, '')}`);
    expect(check('audit.jsonl')).to.match(/^[\d.]+ [KMGT]iB free in /);
  });

  it('checks the nearest existing folder, and creates none', () => {
    expect(check('var/audit/audit.jsonl')).to.be.a('string');
    expect(readdirSync(tree.path())).to.deep.equal([]);
  });

  it('fails when a component of the folder path is not a folder', () => {
    tree.write({ file: '' });
    const { state, message } = issueOf(check('file/below/audit.jsonl'));
    expect([state, message]).to.deep.equal(['fail', `${tree.path('file')} is not a folder`]);
  });

  it('warns about little space and fails with almost none', () => {
    expect(check('audit.jsonl', 1024 * MIB)).to.be.a('string');
    expect(issueOf(check('audit.jsonl', 1024 * MIB - 1)).state).to.equal('warning');
    expect(issueOf(check('audit.jsonl', 16 * MIB)).state).to.equal('warning');
    expect(issueOf(check('audit.jsonl', 16 * MIB - 1)).state).to.equal('fail');
  });

  it('fails when the folder or its file cannot be written', () => {
    chmodSync(tree.path(), 0o755);
    mkdirSync(tree.path('closed'), { mode: 0o555 });
    mkdirSync(tree.path('open'));
    chmodSync(tree.path('open'), 0o777);
    tree.write({ 'open/audit.jsonl': '' });
    chmodSync(tree.path('open/audit.jsonl'), 0o444);
    const findings = findAsNobody('room', [tree.path('closed/audit.jsonl'), tree.path('open/audit.jsonl')]);
    expect(findings.map(({ state, message }) => [state, message])).to.deep.equal([
      ['fail', `this user cannot write to ${tree.path('closed')}`],
      ['fail', `this user cannot write to ${tree.path('open/audit.jsonl')}`],
    ]);
  }).timeout(30_000);
});

describe('checkSeparateFolders', () => {
  const tree = useTemporaryTree();
  const check = (masterKey: string, credentials: string) =>
    checkSeparateFolders(tree.path(masterKey), tree.path(credentials));

  it('passes with two folders, nested or not', () => {
    expect(check('secrets/master.key', 'config/credentials.json')).to.be.a('string');
    expect(check('config/secrets/master.key', 'config/credentials.json')).to.be.a('string');
  });

  it('warns about the same folder, regardless of the path notation', () => {
    expect(check('config/master.key', 'config/credentials.json')).to.include({ state: 'warning' });
    expect(check('config/../config/master.key', './config/credentials.json')).to.include({ state: 'warning' });
    const { state, remedy } = issueOf(checkSeparateFolders('master.key', './credentials.json'));
    expect(state).to.equal('warning');
    expect(remedy).to.include('SIGNING_MASTER_KEY_FILE');
  });

  it('warns about the same folder reached through a link', () => {
    mkdirSync(tree.path('config'));
    symlinkSync('config', tree.path('secrets'));
    expect(check('secrets/master.key', 'config/credentials.json')).to.include({ state: 'warning' });
  });
});
