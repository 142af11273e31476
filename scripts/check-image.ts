import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkImage } from './image/check-image.ts';
import { installedProgram } from './stage/installed-program.ts';
import { print } from './stage/print.ts';

/*
 * Takes the steps of the Dockerfile in order, without Docker, and starts the service out of the image that they make: as the image's user, in its file system and nothing else, read-only, with CMD as it stands; then asks
 * for health, signs, verifies the signature, runs HEALTHCHECK and `signing-service doctor` in there, and stops it with STOPSIGNAL. This machine stands in for the base image of the build: Debian 12 with the node that runs this script. What it writes is in memory,
 * in namespaces of its own, and gone afterwards. Needs root on Linux and util-linux 2.38 or newer. Exit code 1 when something is not as it should be, 2 where it can't be tried. Less than five minutes.
 *
 * npm run check:image
 */

const LIMIT_MS = 280_000;
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
    const options = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const self = [process.execPath, '--import', 'tsx', import.meta.filename, INSIDE, scratch];
    const { status, signal } = spawnSync(unshare, [...options, ...self], { stdio: 'inherit', timeout: LIMIT_MS });
    if (signal !== null) print(`FAILED: it took more than ${LIMIT_MS / 1000} s.`);
    return status ?? 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
