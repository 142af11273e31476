import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { expect } from 'chai';
import { checkFileAccess, type GuardedFile } from '../../../../src/adapters/machine/file-access.ts';
import { findAsNobody } from './as-nobody.ts';
import { useTemporaryTree } from './fake-machine.ts';

const OTHER_USER = 54_321;
const isRoot = process.geteuid?.() === 0;

describe('checkFileAccess', () => {
  const tree = useTemporaryTree();

  /** The only finding on `config/secret` with this mode. */
  function findingAt(mode: number, options: Partial<GuardedFile> = {}, user = process.geteuid?.()) {
    chmodSync(tree.path('config/secret'), mode);
    const findings = check(options, user);
    expect(findings).to.have.length(1);
    return findings[0] ?? expect.fail();
  }

  function check(options: Partial<GuardedFile> = {}, user = process.geteuid?.()) {
    const file = tree.path('config/secret');
    const guarded: GuardedFile = { check: 'secret', file, use: 'secret', whenShared: 'warning', whenMissing: null };
    return checkFileAccess({ ...guarded, ...options }, user);
  }

  beforeEach(() => tree.write({ 'config/secret': 'x' }));

  it('passes for a file that only its owner can read', () => {
    for (const mode of [0o600, 0o400]) {
      const { state, message, remedy } = findingAt(mode);
      expect(state).to.equal('ok');
      expect(message).to.equal(`${tree.path('config/secret')} (mode 0${mode.toString(8)})`);
      expect(remedy).to.equal(null);
    }
  });

  it('reports wider access as configured, with a remedy', () => {
    for (const whenShared of ['warning', 'fail'] as const) {
      for (const mode of [0o640, 0o604, 0o620]) {
        const { state, message, remedy } = findingAt(mode, { whenShared });
        expect(state).to.equal(whenShared);
        expect(message).to.include(`mode 0${mode.toString(8)}`);
        expect(remedy).to.include(`chmod 600 ${tree.path('config/secret')}`);
      }
    }
  });

  it('always fails for a world-writable file', () => {
    expect(findingAt(0o666).state).to.equal('fail');
    expect(findingAt(0o602).state).to.equal('fail');
    // Requirements of a master key file.
    expect(findingAt(0o666).remedy).to.include(`chmod 600 ${tree.path('config/secret')}`);
  });

  it('allows the group to read if configured, and nothing more', () => {
    expect(findingAt(0o640, { use: 'shared' }).state).to.equal('ok');
    expect(findingAt(0o660, { use: 'shared' }).state).to.equal('warning');
    const { state, remedy } = findingAt(0o644, { use: 'shared' });
    expect(state).to.equal('warning');
    // Its owner keeps the right to write.
    const [, mode = ''] = /chmod (\S+) /.exec(remedy ?? '') ?? [];
    execFileSync('chmod', [mode, tree.path('config/secret')]);
    expect(statSync(tree.path('config/secret')).mode & 0o777).to.equal(0o640);
  });

  it('allows everyone to read a public file, and only its owner to write it', () => {
    expect(findingAt(0o644, { use: 'trusted' }).state).to.equal('ok');
    const { state, remedy } = findingAt(0o664, { use: 'trusted' });
    expect(state).to.equal('warning');
    expect(remedy).to.include('chmod go-w ');
    expect(findingAt(0o666, { use: 'trusted' }).state).to.equal('fail');
  });

  it('reports a missing file as configured, or not at all', () => {
    const missing = { file: tree.path('config/none') };
    expect(check(missing)).to.deep.equal([]);
    const whenMissing = { state: 'fail', message: 'not there', remedy: 'make it' } as const;
    expect(check({ ...missing, whenMissing })).to.deep.equal([{ check: 'secret', ...whenMissing }]);
  });

  it('fails for a path through a file, and for anything but a regular file', () => {
    for (const [path, message] of [
      ['config/secret/none', 'not a folder'],
      ['config', 'not a regular file'],
    ] as const) {
      const [finding] = check({ file: tree.path(path) });
      expect(finding?.state).to.equal('fail');
      expect(finding?.message).to.include(message);
    }
  });

  it('follows links to the file and its real folders', () => {
    mkdirSync(tree.path('mounted'));
    symlinkSync('../config/secret', tree.path('mounted/secret'));
    const file = tree.path('mounted/secret');
    expect(check({ file })[0]?.state).to.equal('ok');
    chmodSync(tree.path('config'), 0o777);
    const [finding] = check({ file });
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.include(`folder ${tree.path('config')}, mode 0777`);
    chmodSync(tree.path('config'), 0o700);
    chmodSync(tree.path('mounted'), 0o777);
    expect(check({ file })[0]?.message).to.include(`folder ${tree.path('mounted')}, mode 0777`);
  });

  describe('checks the parent folders', () => {
    it('and fails for a world-writable one', () => {
      chmodSync(tree.path(), 0o777);
      const { state, message, remedy } = findingAt(0o600);
      expect(state).to.equal('fail');
      expect(message).to.include('every user can replace it');
      expect(remedy).to.include(`chmod go-w ${tree.path().replace(/\/$/, '')}`);
    });

    it('and warns about a group-writable one, and keeps the service able to write to that of the audit file', () => {
      chmodSync(tree.path('config'), 0o770);
      expect(findingAt(0o600).state).to.equal('warning');
      const { remedy } = findingAt(0o600, { use: 'shared' });
      if (isRoot) expect(remedy).to.include('make the user of the service the owner of ');
      expect(remedy).to.include(`chmod go-w ${tree.path('config')}`);
    });

    it('and passes with the sticky bit, as on /tmp', () => {
      chmodSync(tree.path('config'), 0o1777);
      expect(findingAt(0o600).state).to.equal('ok');
    });
  });

  if (isRoot) {
    it('allows the group of another user to read a file of root, as with mounted secrets, and nothing more', () => {
      expect(findingAt(0o440, { whenShared: 'fail' }, OTHER_USER).state).to.equal('ok');
      const { state, remedy } = findingAt(0o444, { whenShared: 'fail' }, OTHER_USER);
      expect(state).to.equal('fail');
      expect(remedy).to.include('chmod 640');
      expect(findingAt(0o460, { whenShared: 'fail' }, OTHER_USER).state).to.equal('fail');
    });

    describe('for a file of root that the service reads', () => {
      const GROUP = 54_322;

      it('passes for root and for the service if it is readable through its group', () => {
        chownSync(tree.path('config/secret'), 0, GROUP);
        expect(findingAt(0o640).state).to.equal('ok');
        expect(findingAt(0o640, {}, OTHER_USER).state).to.equal('ok');
      });

      for (const [who, owner, group] of [
        ['root', 0, GROUP],
        ['the service, in its group', 65_534, 0],
        ['the service, in no group of it', 65_534, GROUP],
      ] as const) {
        it(`names commands to ${who} that keep it readable for the service`, () => {
          const path = tree.path('config/secret');
          chownSync(path, 0, group);
          for (const folder of ['', 'config']) chmodSync(tree.path(folder), 0o755);
          const { remedy } = findingAt(0o644, {}, owner);
          const [, commands = ''] = /`(.+)`/.exec(remedy ?? '') ?? [];
          execFileSync('sh', ['-c', commands]);
          const { uid, gid, mode } = statSync(path);
          expect(mode & 0o007).to.equal(0);
          const isReadable = uid === 65_534 || (gid === group && (mode & 0o040) !== 0);
          expect(isReadable, remedy ?? '').to.equal(true);
        });
      }
    });

    it('warns about a file or folder of a third user', () => {
      chownSync(tree.path('config/secret'), OTHER_USER, OTHER_USER);
      const file = findingAt(0o600);
      expect(file.state).to.equal('warning');
      expect(file.message).to.include(`${tree.path('config/secret')} belongs to user ${OTHER_USER}`);
      expect(file.remedy).to.include(`if the service runs as user ${OTHER_USER}, run this as that user; otherwise run`);
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
