import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from '../run/print.ts';
import { installedProgram } from '../run/programs.ts';
import { checkImage, takenFolders } from './build-image.ts';

/*
 * Executes the Dockerfile without Docker and runs its image as its user, confined to its read-only
 * file system: health, signing, verification, HEALTHCHECK, `doctor`, STOPSIGNAL. This machine
 * replaces the base image, Debian 12 with the running node. Everything stays in memory and private
 * namespaces. Needs root on Linux and util-linux 2.38. Exit code 1 for issues, 2 if it cannot be
 * tried. Under five minutes.
 *
 * npm run check -- image
 */

const LIMIT_MS = 280_000;
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
const INSIDE = '--inside';

if (process.argv[2] === INSIDE) {
  process.exitCode = (await checkImage(process.argv[3] ?? '')) ? 0 : 1;
} else {
  process.exitCode = enter();
}

/** Continues in private namespaces. */
function enter(): number {
  const unshare = installedProgram('unshare');
  if (unshare === undefined || process.geteuid?.() !== 0) {
    print('This needs Linux, root and unshare (util-linux): what the steps make belongs to several users.');
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'signing-service-steps-'));
  try {
    const obstacle = findObstacle(unshare, scratch);
    if (obstacle !== null) {
      print(`This machine cannot stand in for the base image: ${obstacle}`);
      return 2;
    }
    const self = [process.execPath, '--import', 'tsx', import.meta.filename, INSIDE, scratch];
    const { status, signal } = spawnSync(unshare, [...NAMESPACES, ...self], { stdio: 'inherit', timeout: LIMIT_MS });
    if (signal !== null) print(`FAILED: it took more than ${LIMIT_MS / 1000} s.`);
    return status ?? 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Why this machine cannot run the steps, if so: containers and hardened machines lack namespaces or
 * overlays.
 */
function findObstacle(unshare: string, scratch: string): string | null {
  const taken = takenFolders();
  if (taken.length > 0) return `it has /${taken.join(', /')}, which the Dockerfile makes.`;
  const overlay = 'mount -t overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" overlay "$0/root"';
  const trial = `mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work" "$0/root" && ${overlay}`;
  const { status, stderr } = spawnSync(unshare, [...NAMESPACES, 'sh', '-c', trial, scratch], { encoding: 'utf8' });
  return status === 0 ? null : stderr.trim();
}
