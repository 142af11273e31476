import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/** A file, folder or link of the image. */
export interface ImageFile {
  /** Without leading slash. */
  readonly path: string;
  readonly stats: Stats;
}

/** Everything below a folder, sorted by name. */
export function imageFiles(root: string, folder = ''): readonly ImageFile[] {
  const names = readdirSync(join(root, folder)).sort();
  return names.flatMap((name) => {
    const path = join(folder, name);
    const stats = lstatSync(join(root, path));
    return [{ path, stats }, ...(stats.isDirectory() ? imageFiles(root, path) : [])];
  });
}

/** SHA-256 over paths, owners, modes, contents and times: equal for builds with equal files. */
export function digestFiles(root: string, files: readonly ImageFile[]): string {
  const digest = createHash('sha256');
  for (const { path, stats } of files) {
    digest.update(JSON.stringify([path, stats.uid, stats.gid, stats.mode, stats.isFile() ? stats.mtime : null]));
    if (stats.isSymbolicLink()) digest.update(readlinkSync(join(root, path)));
    if (stats.isFile()) digest.update(readFileSync(join(root, path)));
  }
  return `sha256:${digest.digest('hex')}`;
}

/** Programs that only an intruder would use. */
const UNWANTED = new Set(
  'sh bash dash ash busybox npm npx corepack yarn gcc cc make python3 perl apt apt-get dpkg curl wget ssh su sudo mount tar'.split(
    ' ',
  ),
);

/** Deviations from the Dockerfile, a line each. */
export function findIssues(files: readonly ImageFile[], owned: readonly string[], user: number): readonly string[] {
  return files.flatMap(({ path, stats }) => {
    const issues: string[] = [];
    const isOwned = owned.includes(`/${path}`);
    const mode = stats.mode & 0o7777;
    if (UNWANTED.has(path.split('/').at(-1) ?? '') && stats.mode & 0o111 && stats.isFile())
      issues.push('is not wanted');
    if (stats.isFile() && mode & 0o6000) issues.push('runs as its owner');
    if (!stats.isSymbolicLink() && mode & 0o022) issues.push('can be written by others');
    if (stats.uid !== (isOwned ? user : 0)) issues.push(`belongs to ${stats.uid}`);
    // setgid: its files belong to the auditors' group.
    if (isOwned && mode !== (path === 'app/var' ? 0o2750 : 0o700)) issues.push(`has mode ${mode.toString(8)}`);
    if (path === 'usr/local/bin/node' && mode !== 0o711) issues.push(`has mode ${mode.toString(8)}`);
    return issues.map((issue) => `/${path} ${issue}`);
  });
}
