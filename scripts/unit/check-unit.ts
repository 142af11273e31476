import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { print } from '../../tests/harness/print.ts';
import { installedProgram } from '../../tests/programs/installed-program.ts';
import { guideScript } from './guide-script.ts';

/*
 * Executes the operators' guides under a systemd in private namespaces: installs the unit with the
 * documented commands, starts, signs, reloads, rotates the master key, upgrades, rolls back, lets a
 * stand-in for Vault wrap the master key, stops, and checks the kernel's view of the confinement.
 * Writes to memory only; its network is loopback. Not covered: building, limits that the machine's
 * control groups lack, more locked memory than needed. Needs root on Linux, systemd 250, control
 * groups version 2, Node 22.14. Exit code 1 for failures, 2 if it cannot be tried. Under two
 * minutes.
 *
 * npm run check -- unit
 */

/** Pages with the commands. */
const GUIDE = ['deploy', 'keys', 'backup-and-upgrade'].map((name) => `docs/operators/${name}.md`);

const LIMIT_MS = 180_000;
const REPOSITORY = resolve(import.meta.dirname, '../..');
const SYSTEMD = '/lib/systemd/systemd';

const groups = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1];
const missing = findMissing(groups);
if (missing === undefined && groups !== undefined) process.exitCode = await follow(groups);
else {
  print(`This needs ${missing}.`);
  process.exitCode = 2;
}

function findMissing(cgroups: string | undefined): string | undefined {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return 'Linux, and root';
  if (!existsSync(SYSTEMD)) return `systemd (${SYSTEMD})`;
  if (cgroups === undefined) return 'version 2 of control groups';
  if (!process.allowedNodeEnvironmentFlags.has('--disable-sigusr1')) return 'Node 22.14 or newer, as the unit does';
  return ['unshare', 'curl', 'openssl', 'ip'].find((name) => installedProgram(name) === undefined);
}

/** @returns the exit code */
async function follow(cgroups: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-guide-'));
  const [scratch, out] = [join(folder, 'scratch'), join(folder, 'out')];
  for (const one of [scratch, out]) mkdirSync(one);
  const group = join(cgroups, `signing-service-guide-${process.pid}`);
  mkdirSync(group);
  try {
    const guide = GUIDE.map((page) => readFileSync(join(REPOSITORY, page), 'utf8')).join('\n');
    writeFileSync(join(out, 'guide.sh'), `cd '${REPOSITORY}'\n${guideScript(guide)}`);
    const { error } = spawnSync('/bin/sh', ['-c', command(group), 'sh', scratch, out, process.execPath], {
      stdio: 'inherit',
      timeout: LIMIT_MS,
    });
    if (error !== undefined) print(`FAILED: ${error.message}`);
    return report(out);
  } finally {
    await removeGroup(group);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts in a new control group, which isolates systemd and can kill everything in it. */
function command(group: string): string {
  const namespaces = '--mount --pid --cgroup --uts --ipc --net --fork --kill-child --mount-proc';
  return `echo $$ > '${group}/cgroup.procs' && exec unshare ${namespaces} /bin/sh '${REPOSITORY}/scripts/unit/boot.sh' "$@"`;
}

function report(out: string): number {
  const [log, boot] = ['guide.log', 'systemd.log'].map((name) => {
    const file = join(out, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  });
  if (log?.trimEnd().endsWith('== end')) {
    print(log.trimEnd().replace(/\n== end$/, '\nAll of it is as it should be.'));
    return 0;
  }
  print(`${log}\n${boot}\nFAILED: the guide was not followed to its end.`);
  return 1;
}

/** Ends what is left in the group, and removes it with its subgroups once they are empty. */
async function removeGroup(group: string): Promise<void> {
  const kill = join(group, 'cgroup.kill');
  if (existsSync(kill)) writeFileSync(kill, '1');
  for (let tries = 0; tries < 50 && existsSync(group); tries += 1) {
    await sleep(100);
    spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';'], { stdio: 'ignore' });
  }
}
