import { chmodSync, chownSync, mkdirSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import type { FileUse } from '../../../../src/adapters/files/file-permissions.ts';
import { checkFileAccess, type GuardedFile } from '../../../../src/adapters/machine/file-access.ts';
import { findAsNobody } from './as-nobody.ts';
import { useTemporaryTree } from './fake-machine.ts';

const OTHER_USER = 54_321;
const isRoot = process.geteuid?.() === 0;

describe('checkFileAccess', () => {
  const tree = useTemporaryTree();

  /** What is found on `config/secret` with this mode. */
  function findingAt(mode: number, options: Partial<GuardedFile> = {}, user = process.geteuid?.()) {
    chmodSync(tree.path('config/secret'), mode);
    return check(options, user);
  }

  function check(options: Partial<GuardedFile> = {}, user = process.geteuid?.()) {
    const file = tree.path('config/secret');
    const outcome = checkFileAccess({ file, use: 'secret', whenShared: 'warning', ...options }, user);
    return typeof outcome === 'object' && outcome !== null ? outcome : { state: 'ok', message: outcome, remedy: null };
  }

  beforeEach(() => tree.write({ 'config/secret': 'x' }));

  const modes: readonly (readonly [FileUse, mode: number, state: string])[] = [
    ['secret', 0o600, 'ok'],
    ['secret', 0o400, 'ok'],
    ['secret', 0o640, 'warning'],
    ['secret', 0o604, 'warning'],
    ['secret', 0o602, 'fail'],
    ['shared', 0o640, 'ok'],
    ['shared', 0o660, 'warning'],
    ['trusted', 0o644, 'ok'],
    ['trusted', 0o664, 'warning'],
    ['trusted', 0o666, 'fail'],
  ];
  it('allows what the use of a file needs, and always fails for a world-writable one', () => {
    for (const [use, mode, state] of modes) {
      const finding = findingAt(mode, { use });
      expect(finding.state, `${use} ${mode.toString(8)}`).to.equal(state);
      expect(finding.message).to.include(`mode 0${mode.toString(8)}`);
    }
    expect(findingAt(0o640, { whenShared: 'fail' }).state).to.equal('fail');
  });

  it('leaves a missing file to its caller', () => {
    expect(check({ file: tree.path('config/none') }).message).to.equal(null);
  });

  it('fails for a path through a file, and for anything but a regular file', () => {
    for (const [path, message] of [
      ['config/secret/none', 'not a folder'],
      ['config', 'not a regular file'],
    ] as const) {
      const finding = check({ file: tree.path(path) });
      expect(finding.state).to.equal('fail');
      expect(finding.message).to.include(message);
    }
  });

  it('follows links to the file and its real folders', () => {
    mkdirSync(tree.path('mounted'));
    symlinkSync('../config/secret', tree.path('mounted/secret'));
    const file = tree.path('mounted/secret');
    expect(check({ file }).state).to.equal('ok');
    chmodSync(tree.path('config'), 0o777);
    const finding = check({ file });
    expect(finding.state).to.equal('fail');
    expect(finding.message).to.include(`folder ${tree.path('config')}, mode 0777`);
    chmodSync(tree.path('config'), 0o700);
    chmodSync(tree.path('mounted'), 0o777);
    expect(check({ file }).message).to.include(`folder ${tree.path('mounted')}, mode 0777`);
  });

  describe('checks the parent folders', () => {
    it('and fails for a world-writable one', () => {
      chmodSync(tree.path(), 0o777);
      const { state, message, remedy } = findingAt(0o600);
      expect(state).to.equal('fail');
      expect(message).to.include('every user can replace it');
      expect(remedy).to.include(`chmod go-w ${tree.path().replace(/\/$/, '')}`);
    });

    it('and warns about a group-writable one', () => {
      chmodSync(tree.path('config'), 0o770);
      expect(findingAt(0o600).state).to.equal('warning');
    });

    it('and passes with the sticky bit, as on /tmp', () => {
      chmodSync(tree.path('config'), 0o1777);
      expect(findingAt(0o600).state).to.equal('ok');
    });
  });

  if (isRoot) {
    it('allows the group of another user to read a file of root, as with mounted secrets, and nothing more', () => {
      expect(findingAt(0o440, { whenShared: 'fail' }, OTHER_USER).state).to.equal('ok');
      const { state } = findingAt(0o444, { whenShared: 'fail' }, OTHER_USER);
      expect(state).to.equal('fail');
      expect(findingAt(0o460, { whenShared: 'fail' }, OTHER_USER).state).to.equal('fail');
    });

    it('passes for a file of root that the service reads through its group, for root and for the service', () => {
      chownSync(tree.path('config/secret'), 0, OTHER_USER + 1);
      expect(findingAt(0o640).state).to.equal('ok');
      expect(findingAt(0o640, {}, OTHER_USER).state).to.equal('ok');
    });

    it('warns about a file or folder of a third user', () => {
      chownSync(tree.path('config/secret'), OTHER_USER, OTHER_USER);
      const file = findingAt(0o600);
      expect(file.state).to.equal('warning');
      expect(file.message).to.include(`${tree.path('config/secret')} belongs to user ${OTHER_USER}`);
      expect(file.remedy)
        .to.include(`if the service runs as user ${OTHER_USER}, run this as that user`)
        .and.not.include('`');
      chownSync(tree.path('config/secret'), 0, 0);
      chownSync(tree.path('config'), OTHER_USER, OTHER_USER);
      expect(findingAt(0o600).message).to.include(`${tree.path('config')} belongs to user ${OTHER_USER}`);
    });

    it('fails for a file that this user cannot read or reach', () => {
      chmodSync(tree.path(), 0o755);
      chmodSync(tree.path('config'), 0o755);
      const file = tree.path('config/secret');
      expect(findAsNobody('access', [file])[0]).to.deep.include({
        state: 'fail',
        message: `${file}: this user cannot read it`,
      });
      chmodSync(tree.path('config'), 0o700);
      expect(findAsNobody('access', [file])[0]).to.deep.include({
        state: 'fail',
        message: `${file} cannot be accessed (EACCES)`,
      });
    }).timeout(30_000);
  }
});
