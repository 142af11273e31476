import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders that the steps of the Dockerfile make: nothing of this machine may be there. */
const MADE = ['build', 'image', 'owned', 'recorded'];

/** Those of them that are there. */
export function takenFolders(): readonly string[] {
  return MADE.filter((name) => existsSync(join('/', name)));
}

/**
 * This machine's file system as the base of a build: what is written goes to memory, and is gone with the namespace. Where the image of the base has node, /usr/local, is the node that runs this.
 * @param scratch an empty folder in memory
 * @returns the root
 */
export function machineAsBase(scratch: string): string {
  const root = join(scratch, 'machine');
  const [upper, work] = [join(scratch, 'upper'), join(scratch, 'work')];
  for (const folder of [root, upper, work]) mkdirSync(folder);
  const options = `lowerdir=/,upperdir=${upper},workdir=${work}`;
  execFileSync('mount', ['-t', 'overlay', '-o', options, 'overlay', root]);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', join(root, 'tmp')]);
  execFileSync('mount', ['-t', 'proc', 'proc', join(root, 'proc')]);
  execFileSync('mount', ['--bind', '/dev', join(root, 'dev')]);
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  const headers = join(dirname(process.execPath), '../include');
  // Those of the system are no headers of node alone.
  if (dirname(process.execPath) !== '/usr/bin') cpSync(headers, join(root, 'usr/local/include'), { recursive: true });
  return root;
}
