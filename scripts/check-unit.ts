import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedProgram } from './stage/installed-program.ts';
import { print } from './stage/print.ts';
import { guideScript } from './unit/guide-script.ts';

/*
 * Follows docs/OPERATIONS.md under this machine's systemd, started anew in namespaces of its own: installs the unit with the commands that stand there, starts the service in all of its confinement, signs, reloads, rotates the master key, upgrades, goes
 * back and stops, and looks whether the kernel was told what the unit says. Nothing outside is changed: what is written is in memory, the network is a loopback of its own. Not tried: building (`npm ci` and the two after it), limits on memory and addresses where the machine's control groups do not offer them, and
 * more locked memory than the service needs. Needs root on Linux, systemd 250 or newer, version 2 of control groups, and Node 22.14 or newer. Exit code 1 when something is not as it should be, 2 where it can't be tried. Less than two minutes.
 *
 * npm run check -- unit
 */

const LIMIT_MS = 120_000;
const REPOSITORY = resolve(import.meta.dirname, '..');
const SYSTEMD = '/lib/systemd/systemd';

const groups = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1];
const lacking = lackingFor(groups);
if (lacking === undefined && groups !== undefined) process.exitCode = await follow(groups);
else {
  print(`This needs ${lacking}.`);
  process.exitCode = 2;
}

function lackingFor(cgroups: string | undefined): string | undefined {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return 'Linux, and root';
  if (!existsSync(SYSTEMD)) return `systemd (${SYSTEMD})`;
  if (cgroups === undefined) return 'version 2 of control groups';
  if (!process.allowedNodeEnvironmentFlags.has('--disable-sigusr1')) return 'Node 22.14 or newer, as the unit does';
  return ['unshare', 'curl', 'openssl'].find((name) => installedProgram(name) === undefined);
}

/** @returns the exit code */
async function follow(cgroups: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-guide-'));
  const [scratch, out] = [join(folder, 'scratch'), join(folder, 'out')];
  for (const one of [scratch, out]) mkdirSync(one);
  const group = join(cgroups, `signing-service-guide-${process.pid}`);
  mkdirSync(group);
  try {
    const guide = readFileSync(join(REPOSITORY, 'docs/OPERATIONS.md'), 'utf8');
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

/** In a control group of its own first, so that systemd sees no other, and all that it started can be ended by it. */
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

async function removeGroup(group: string): Promise<void> {
  const kill = join(group, 'cgroup.kill');
  if (existsSync(kill)) writeFileSync(kill, '1');
  for (let tries = 0; tries < 50 && !isRemoved(group); tries += 1) await sleep(100);
}

/** Groups below it first; one with a process that has not ended yet can't be removed. */
function isRemoved(group: string): boolean {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true })) {
      if (entry.isDirectory()) isRemoved(join(group, entry.name));
    }
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}
