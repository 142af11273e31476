import { dirname, join } from 'node:path';
import { type Finding, ok, warning } from './finding.ts';
import { readIfThere } from './read-if-there.ts';

const REMEDY =
  'Turn swap off (`swapoff -a`, and its lines in /etc/fstab), or keep the service from it: MemorySwapMax=0 in a systemd unit, ' +
  '`--memory-swap` equal to `--memory` for a container.';

/**
 * Whether memory of this process can be written to swap. Memory for keys is locked and never is; requests and everything else are not.
 * @param proc where the proc file system is
 * @param cgroups where control groups are mounted
 */
export function checkSwap(proc = '/proc', cgroups = '/sys/fs/cgroup'): Finding {
  const isKept = isKeptFromSwap(readIfThere(join(proc, 'self/cgroup')) ?? '', cgroups);
  const table = readIfThere(join(proc, 'swaps'));
  // Where a unit hides the list (ProcSubset=pid), the control group still tells.
  if (table === undefined && isKept) return ok('swap', 'none that this control group may use');
  if (table === undefined) return warning('swap', "can't tell: this system doesn't list its swap", REMEDY);
  // The first line is the heading, the first column the name.
  const devices = table
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(/\s+/, 1))
    .filter((name) => name !== '');
  if (devices.length === 0) return ok('swap', 'none');
  if (isKept) return ok('swap', `${devices.join(', ')}, which this control group may not use`);
  return warning('swap', `memory may be written to ${devices.join(', ')}`, REMEDY);
}

/** Whether a control group of the process, or one above it, forbids swap: cgroups(7), in version 2 or 1. */
function isKeptFromSwap(membership: string, cgroups: string): boolean {
  return membership.split('\n').some((line) => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === '') return foldersOf(join(cgroups, path), cgroups).some(forbidsInVersion2);
    if (!controllers.split(',').includes('memory')) return false;
    const root = join(cgroups, 'memory');
    return foldersOf(join(root, path), root).some(forbidsInVersion1);
  });
}

/** `folder` and those above it up to `root`; a path that is seen from outside a container ends in the root all the same. */
function foldersOf(folder: string, root: string): readonly string[] {
  return folder.length <= root.length ? [root] : [folder, ...foldersOf(dirname(folder), root)];
}

function forbidsInVersion2(folder: string): boolean {
  return readIfThere(join(folder, 'memory.swap.max'))?.trim() === '0';
}

/** Version 1 counts memory and swap together: with equal limits nothing is left for swap. */
function forbidsInVersion1(folder: string): boolean {
  const memory = readIfThere(join(folder, 'memory.limit_in_bytes'));
  const both = readIfThere(join(folder, 'memory.memsw.limit_in_bytes'));
  // Without a limit both files hold the same huge number.
  return memory !== undefined && memory === both && Number(memory) < Number.MAX_SAFE_INTEGER;
}
