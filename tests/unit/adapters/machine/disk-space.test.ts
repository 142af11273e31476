import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { checkDiskSpace, checkSeparateFolders, formatBytes } from '../../../../src/adapters/machine/disk-space.ts';
import { findAsNobody } from './as-nobody.ts';
import { useTemporaryTree } from './fake-machine.ts';

it('formatBytes rounds down to the largest unit', () => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [1024 ** 3 - 1, '1023 MiB'],
    [5000 * 1024 ** 4, '5000 TiB'],
    [Number.POSITIVE_INFINITY, 'any amount'],
  ] as const) {
    expect(formatBytes(bytes)).to.equal(text);
  }
});

const MIB = 1024 ** 2;

describe('checkDiskSpace', () => {
  const tree = useTemporaryTree();
  const check = (name: string, free?: number) =>
    checkDiskSpace('audit-room', tree.path(name), free === undefined ? undefined : () => free);

  it('passes with a writable folder and enough space, naming the amount', () => {
    expect(check('audit.jsonl', 20 * 1024 * MIB)).to.deep.equal({
      check: 'audit-room',
      state: 'ok',
      message: `20 GiB free in ${tree.path().replace(/\/$/, '')}`,
      remedy: null,
    });
    expect(check('audit.jsonl').message).to.match(/^\d+ [KMGT]iB free in /);
  });

  it('checks the nearest existing folder, and creates none', () => {
    expect(check('var/audit/audit.jsonl').state).to.equal('ok');
    expect(readdirSync(tree.path())).to.deep.equal([]);
  });

  it('fails when a component of the folder path is not a folder', () => {
    tree.write({ file: '' });
    symlinkSync('nowhere', tree.path('dangling'));
    for (const name of ['file', 'dangling']) {
      for (const audit of [`${name}/audit.jsonl`, `${name}/below/audit.jsonl`]) {
        const { state, message } = check(audit);
        expect(state, audit).to.equal('fail');
        expect(message, audit).to.equal(`${tree.path(name)} is not a folder`);
      }
    }
    mkdirSync(tree.path('folder'));
    symlinkSync('folder', tree.path('link'));
    expect(check('link/below/audit.jsonl').state).to.equal('ok');
  });

  it('warns about little space and fails with almost none', () => {
    expect(check('audit.jsonl', 1024 * MIB).state).to.equal('ok');
    expect(check('audit.jsonl', 1024 * MIB - 1).state).to.equal('warning');
    expect(check('audit.jsonl', 16 * MIB).state).to.equal('warning');
    expect(check('audit.jsonl', 16 * MIB - 1).state).to.equal('fail');
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
    checkSeparateFolders(tree.path(masterKey), tree.path(credentials)).state;

  it('passes with two folders, nested or not', () => {
    expect(check('secrets/master.key', 'config/credentials.json')).to.equal('ok');
    expect(check('config/secrets/master.key', 'config/credentials.json')).to.equal('ok');
  });

  it('warns about the same folder, regardless of the path notation', () => {
    expect(check('config/master.key', 'config/credentials.json')).to.equal('warning');
    expect(check('config/../config/master.key', './config/credentials.json')).to.equal('warning');
    const { state, remedy } = checkSeparateFolders('master.key', './credentials.json');
    expect(state).to.equal('warning');
    expect(remedy).to.include('SIGNING_MASTER_KEY_FILE');
  });

  it('warns about the same folder reached through a link', () => {
    mkdirSync(tree.path('config'));
    symlinkSync('config', tree.path('secrets'));
    expect(check('secrets/master.key', 'config/credentials.json')).to.equal('warning');
  });
});
