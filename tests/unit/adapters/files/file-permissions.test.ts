import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { type FileUse, findPermissionIssue } from '../../../../src/adapters/files/file-permissions.ts';

const USER = 1000;
const ROOT = 0;
const OTHER_USER = 1001;
/** A group of this process. */
const GROUP = process.getegid?.() ?? 0;
const OTHER_GROUP = 54_321;
const MODES = Array.from({ length: 0o1000 }, (_, mode) => mode);

describe('findPermissionIssue', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'signing-service-permissions-')));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Creates a file and its folders. @returns its path */
  function file(name: string): string {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'x');
    return path;
  }

  const issue = (path: string, use: FileUse, mode: number, uid = USER, gid = GROUP, user = USER) =>
    findPermissionIssue(path, { mode: 0o100000 | mode, uid, gid }, use, 'the list', user);
  const refused = (use: FileUse, uid: number) => {
    const path = file('file');
    return MODES.filter((mode) => issue(path, use, mode, uid) !== null);
  };

  it('refuses a trusted file that group or others can write, owned by root or by this user', () => {
    const writable = MODES.filter((mode) => (mode & 0o022) !== 0);
    expect(refused('trusted', USER)).to.deep.equal(writable);
    expect(refused('trusted', ROOT)).to.deep.equal(writable);
  });

  it('refuses a trusted file of another user, who can give it any mode', () => {
    expect(refused('trusted', OTHER_USER)).to.deep.equal(MODES);
    expect(issue(file('a file'), 'trusted', 0o644, OTHER_USER)).to.match(
      /^it is owned by user 1001, which can change the list and is neither root nor the user of this process; if the service runs as user 1001, run this as that user; otherwise run `chown \S+ '\/.*\/a file' && .*` as root$/,
    );
  });

  it('refuses a secret accessible to group or others, except a mounted one readable by its group', () => {
    expect(refused('secret', USER)).to.deep.equal(MODES.filter((mode) => (mode & 0o077) !== 0));
    expect(refused('secret', ROOT)).to.deep.equal(MODES.filter((mode) => (mode & 0o027) !== 0));
  });

  it('names the mode and the command to run', () => {
    const path = file('list.txt');
    expect(issue(path, 'trusted', 0o664)).to.equal(
      `other users can change the list (its mode is 0664); run \`chmod go-w ${path}\``,
    );
    expect(issue(path, 'secret', 0o644)).to.equal(
      `other users have access to the list (its mode is 0644); run \`chmod 600 ${path}\``,
    );
    chmodSync(root, 0o755);
    expect(issue(path, 'secret', 0o644, ROOT, ROOT, ROOT)).to.include(
      `run \`chmod 600 ${path}\` if the service runs as root; otherwise give it a group of the service`,
    );
  });

  it('accepts a secret of root that the service reads through its group, also as root', () => {
    expect(issue(file('list.txt'), 'secret', 0o640, ROOT, OTHER_GROUP, ROOT)).to.equal(null);
  });

  it('leaves the mode of a mounted secret to its mount', () => {
    const path = file('..2026_11_30/list.txt');
    expect(issue(path, 'secret', 0o644, ROOT))
      .to.include('set defaultMode to 0440 and fsGroup')
      .and.not.include('`');
  });

  it('refuses a trusted file below a world-writable folder at any level, unless it is sticky', () => {
    const path = file('open/config/list.txt');
    for (const folder of ['open', 'open/config']) {
      chmodSync(join(root, folder), 0o777);
      expect(issue(path, 'trusted', 0o644)).to.equal(
        `other users can replace it, because its folder is world-writable: ${join(root, folder)}; run \`chmod o-w ${join(root, folder)}\`, or mount it read-only`,
      );
      expect(issue(path, 'secret', 0o600)).to.equal(null);
      chmodSync(join(root, folder), 0o1777);
      expect(issue(path, 'trusted', 0o644)).to.equal(null);
    }
  });

  it('checks the folder of every link on the path, to the file or to a parent folder', () => {
    const path = file('closed/deep/list.txt');
    const open = join(root, 'open');
    mkdirSync(open);
    symlinkSync('../closed/deep/list.txt', join(open, 'list.txt'));
    symlinkSync('open/list.txt', join(root, 'link.txt'));
    symlinkSync(join(root, 'link.txt'), join(root, 'chain.txt'));
    symlinkSync('../closed/deep', join(open, 'folder'));
    symlinkSync(join(open, 'folder'), join(root, 'folder'));
    const names = ['chain.txt', 'open/folder/list.txt', 'folder/../deep/list.txt', 'open/../closed/deep/list.txt'];
    for (const name of names) {
      const way = `${root}/${name}`;
      chmodSync(open, 0o755);
      expect(issue(way, 'trusted', 0o644), name).to.equal(null);
      chmodSync(open, 0o777);
      expect(issue(way, 'trusted', 0o644), name).to.include(`run \`chmod o-w ${open}\``);
      expect(issue(`${relative(process.cwd(), root)}/${name}`, 'trusted', 0o644), name).to.include(open);
      chmodSync(open, 0o1777);
      expect(issue(way, 'trusted', 0o644), name).to.equal(null);
    }
    chmodSync(open, 0o777);
    expect(issue(path, 'trusted', 0o644)).to.equal(null);
  });

  it('follows as many links as the system, and refuses a trusted file behind more', () => {
    file('list.txt');
    const link = (number: number) => join(root, `link-${number}`);
    symlinkSync('list.txt', link(1));
    for (let number = 2; number <= 41; number += 1) symlinkSync(link(number - 1), link(number));
    expect(statSync(link(40)).isFile()).to.equal(true);
    expect(issue(link(40), 'trusted', 0o644)).to.equal(null);
    expect(() => statSync(link(41))).to.throw('ELOOP');
    expect(issue(link(41), 'trusted', 0o644)).to.include('its folders cannot be inspected (ELOOP)');
  });
});
