import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** One entry of an image's file system. */
export interface ImageFile {
  /** From its root on, without a slash at the front. */
  readonly path: string;
  readonly stats: Stats;
}

/** Everything below a folder, in the order of names. */
export function imageFiles(root: string, folder = ''): readonly ImageFile[] {
  const names = readdirSync(join(root, folder)).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(join(root, path));
    return [{ path, stats }, ...(stats.isDirectory() ? imageFiles(root, path) : [])];
  });
}

/** SHA-256 over paths, owners, modes and contents, and the times of files: the same for two builds whose images have the same files. */
export function digestOf(root: string, files: readonly ImageFile[]): string {
  const digest = createHash('sha256');
  for (const { path, stats } of files) {
    digest.update(JSON.stringify([path, stats.uid, stats.gid, stats.mode, stats.isFile() ? stats.mtime : null]));
    if (stats.isSymbolicLink()) digest.update(readlinkSync(join(root, path)));
    if (stats.isFile()) digest.update(readFileSync(join(root, path)));
  }
  return `sha256:${digest.digest('hex')}`;
}

/** Programs that an image for one service has no use for, and somebody who broke into it would. */
const UNWANTED = new Set(
  'sh bash dash ash busybox npm npx corepack yarn gcc cc make python3 perl apt apt-get dpkg curl wget ssh su sudo mount tar'.split(
    ' ',
  ),
);

/** What is wrong with the files of the image, a line for each; none when all is as the Dockerfile says. */
export function faultsOf(files: readonly ImageFile[], owned: readonly string[], user: number): readonly string[] {
  return files.flatMap(({ path, stats }) => {
    const faults: string[] = [];
    const isOwned = owned.includes(`/${path}`);
    const mode = stats.mode & 0o7777;
    if (UNWANTED.has(path.split('/').at(-1) ?? '') && stats.mode & 0o111 && stats.isFile())
      faults.push('is not wanted');
    if (stats.isFile() && mode & 0o6000) faults.push('runs as its owner');
    if (!stats.isSymbolicLink() && mode & 0o022) faults.push('can be written by others');
    if (stats.uid !== (isOwned ? user : 0)) faults.push(`belongs to ${stats.uid}`);
    // What is made in the second belongs to the group of the auditors.
    if (isOwned && mode !== (path === 'app/var' ? 0o2750 : 0o700)) faults.push(`has mode ${mode.toString(8)}`);
    if (path === 'usr/local/bin/node' && mode !== 0o711) faults.push(`has mode ${mode.toString(8)}`);
    return faults.map((fault) => `/${path} ${fault}`);
  });
}
