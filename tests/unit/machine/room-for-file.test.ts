import { chmodSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { checkRoomForFile } from '../../../src/machine/room-for-file.ts';
import { findAsNobody } from './as-nobody.ts';
import { useTemporaryTree } from './temporary-tree.ts';

const MIB = 1024 ** 2;

describe('checkRoomForFile', () => {
  const tree = useTemporaryTree();
  const check = (name: string, free?: number) =>
    checkRoomForFile('audit-room', tree.path(name), free === undefined ? undefined : () => free);

  it('is content with a writable folder and room, and says how much', () => {
    expect(check('audit.jsonl', 20 * 1024 * MIB)).to.deep.equal({
      check: 'audit-room',
      state: 'ok',
      message: `20 GiB free in ${tree.path().replace(/\/$/, '')}`,
      remedy: null,
    });
    expect(check('audit.jsonl').message).to.match(/^\d+ [KMGT]iB free in /);
  });

  it('looks at the folder in which missing ones would be made, and makes none', () => {
    expect(check('var/audit/audit.jsonl').state).to.equal('ok');
    expect(readdirSync(tree.path())).to.deep.equal([]);
  });

  it('fails where the folder, or one that would be made, can not be one', () => {
    tree.write({ file: '' });
    symlinkSync('nowhere', tree.path('dangling'));
    for (const name of ['file', 'dangling']) {
      for (const audit of [`${name}/audit.jsonl`, `${name}/below/audit.jsonl`]) {
        const { state, message } = check(audit);
        expect(state, audit).to.equal('fail');
        expect(message, audit).to.equal(`${tree.path(name)} is no folder`);
      }
    }
    mkdirSync(tree.path('folder'));
    symlinkSync('folder', tree.path('link'));
    expect(check('link/below/audit.jsonl').state).to.equal('ok');
  });

  it('warns when room is scarce and fails when next to none is left', () => {
    expect(check('audit.jsonl', 1024 * MIB).state).to.equal('ok');
    expect(check('audit.jsonl', 1024 * MIB - 1).state).to.equal('warning');
    expect(check('audit.jsonl', 16 * MIB).state).to.equal('warning');
    expect(check('audit.jsonl', 16 * MIB - 1).state).to.equal('fail');
  });

  it('fails when the folder, or the file in it, can not be written', () => {
    chmodSync(tree.path(), 0o755);
    mkdirSync(tree.path('closed'), { mode: 0o555 });
    mkdirSync(tree.path('unsearchable'));
    chmodSync(tree.path('unsearchable'), 0o666);
    mkdirSync(tree.path('open'));
    chmodSync(tree.path('open'), 0o777);
    tree.write({ 'open/audit.jsonl': '' });
    chmodSync(tree.path('open/audit.jsonl'), 0o444);
    const findings = findAsNobody('room', [
      tree.path('closed/audit.jsonl'),
      tree.path('unsearchable/audit.jsonl'),
      tree.path('open/audit.jsonl'),
    ]);
    expect(findings.map(({ state, message }) => [state, message])).to.deep.equal([
      ['fail', `this user can't write ${tree.path('closed')}`],
      ['fail', `this user can't write ${tree.path('unsearchable')}`],
      ['fail', `this user can't write ${tree.path('open/audit.jsonl')}`],
    ]);
  }).timeout(30_000);
});
