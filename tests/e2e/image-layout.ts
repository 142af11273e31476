import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { START_OPTIONS } from './start-options.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');

/** The user of the image. */
export const IMAGE_USER = 10_001;

/**
 * Lays the built service out in `folder` as the Dockerfile does: its code and the packages that it runs on belong to root and are readable by all,
 * and node can be executed by all but read by root alone. Only root can do that.
 * @returns a launcher for a Workplace that starts its programs from there, as the image's user and with the image's options
 */
export function layOutImage(folder: string): readonly string[] {
  // What is laid out may stand in a folder that others can't enter, such as a temporary one.
  chmodSync(folder, 0o755);
  const node = join(folder, 'node');
  copyService(join(folder, 'app'));
  copyFileSync(process.execPath, node);
  chownSync(node, 0, 0);
  chmodSync(node, 0o711);
  // setpriv keeps root's capabilities until its own exec, and with them node could be read; in the exec of env there are none left.
  const user = `setpriv --reuid ${IMAGE_USER} --regid ${IMAGE_USER} --clear-groups env`;
  const program = `${folder}/app/dist/\${program##*/}`;
  return [
    '/bin/sh',
    '-c',
    `program=$2; shift 2; exec ${user} ${node} ${START_OPTIONS.join(' ')} "${program}" "$@"`,
    'sh',
  ];
}

/** `npm prune --omit=dev`, without a network. */
function copyService(app: string): void {
  mkdirSync(app);
  const { packages } = JSON.parse(readFileSync(join(REPOSITORY, 'package-lock.json'), 'utf8'));
  const needed = Object.entries(packages as { [path: string]: { readonly dev?: true } })
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path]) => path);
  for (const path of ['package.json', 'dist', ...needed]) {
    // A package of another platform, or one inside another that is copied already, may be absent.
    if (existsSync(join(REPOSITORY, path))) cpSync(join(REPOSITORY, path), join(app, path), { recursive: true });
  }
  // Whatever the umask of this working copy is.
  execFileSync('chmod', ['-R', 'a+rX', app]);
}
