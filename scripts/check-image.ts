import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkImage } from './image/check-image.ts';
import { takenFolders } from './image/machine-as-base.ts';
import { installedProgram } from './stage/installed-program.ts';
import { print } from './stage/print.ts';

/*
 * Takes the steps of the Dockerfile in order, without Docker, and starts the service out of the image that they make: as the image's user, in its file system and nothing else, read-only, with CMD as it stands; then asks
 * for health, signs, verifies the signature, runs HEALTHCHECK and `signing-service doctor` in there, and stops it with STOPSIGNAL. This machine stands in for the base image of the build: Debian 12 with the node that runs this script. What it writes is in memory,
 * in namespaces of its own, and gone afterwards. Needs root on Linux and util-linux 2.38 or newer. Exit code 1 when something is not as it should be, 2 where it can't be tried. Less than five minutes.
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

/** Does the rest in namespaces of its own, which end with it. */
function enter(): number {
  const unshare = installedProgram('unshare');
  if (unshare === undefined || process.geteuid?.() !== 0) {
    print('This needs Linux, root and unshare (util-linux): what the steps make belongs to several users.');
    return 2;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'signing-service-steps-'));
  try {
    const hindrance = hindranceTo(unshare, scratch);
    if (hindrance !== null) {
      print(`This machine can't stand in for the base image: ${hindrance}`);
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

/** Why the steps can't be taken here at all, which says nothing of them; null where they can. Containers and hardened machines have no namespaces or no overlays to give. */
function hindranceTo(unshare: string, scratch: string): string | null {
  const taken = takenFolders();
  if (taken.length > 0) return `it has /${taken.join(', /')}, which the Dockerfile makes.`;
  const overlay = 'mount -t overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" overlay "$0/root"';
  const trial = `mount -t tmpfs tmpfs "$0" && mkdir "$0/upper" "$0/work" "$0/root" && ${overlay}`;
  const { status, stderr } = spawnSync(unshare, [...NAMESPACES, 'sh', '-c', trial, scratch], { encoding: 'utf8' });
  return status === 0 ? null : stderr.trim();
}
