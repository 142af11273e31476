import { dirname, join } from 'node:path';
import { type Outcome, warning } from './outcome.ts';
import { readSystemFile } from './process-limits.ts';

const REMEDY =
  'Turn swap off (`swapoff -a` and /etc/fstab), or disable it for the service: MemorySwapMax=0 in a systemd unit, ' +
  '`--memory-swap` equal to `--memory` for a container.';

/**
 * Whether process memory can be swapped. Memory for keys is locked; the rest is not.
 * @param proc path of the proc file system
 * @param cgroups mount point of control groups
 */
export function checkSwap(proc = '/proc', cgroups = '/sys/fs/cgroup'): Outcome {
  const isForbidden = isSwapForbidden(readSystemFile(join(proc, 'self/cgroup')) ?? '', cgroups);
  const table = readSystemFile(join(proc, 'swaps'));
  // A unit can hide the list (ProcSubset=pid).
  if (table === undefined && isForbidden) return 'none that this control group may use';
  if (table === undefined) return warning('unknown: this system does not list its swap', REMEDY);
  // Skips the heading; the first column is the name.
  const devices = table
    .split('\n')
    .slice(1)
    .flatMap((line) => line.split(/\s+/, 1))
    .filter((name) => name !== '');
  if (devices.length === 0) return 'none';
  if (isForbidden) return `${devices.join(', ')}, which this control group may not use`;
  return warning(`memory can be written to ${devices.join(', ')}`, REMEDY);
}

/**
 * Whether a control group of the process, or an ancestor, forbids swap: cgroups(7), version 2 or 1.
 */
function isSwapForbidden(membership: string, cgroups: string): boolean {
  return membership.split('\n').some((line) => {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (controllers === '') return listAncestors(join(cgroups, path), cgroups).some(forbidsInVersion2);
    if (!controllers.split(',').includes('memory')) return false;
    const root = join(cgroups, 'memory');
    return listAncestors(join(root, path), root).some(forbidsInVersion1);
  });
}

/**
 * `folder` and its ancestors up to `root`; a path outside the container ends in the root as well.
 */
function listAncestors(folder: string, root: string): readonly string[] {
  return folder.length <= root.length ? [root] : [folder, ...listAncestors(dirname(folder), root)];
}

function forbidsInVersion2(folder: string): boolean {
  return readSystemFile(join(folder, 'memory.swap.max'))?.trim() === '0';
}

/** Version 1 limits memory and swap together: equal limits leave no swap. */
function forbidsInVersion1(folder: string): boolean {
  const memory = readSystemFile(join(folder, 'memory.limit_in_bytes'));
  const both = readSystemFile(join(folder, 'memory.memsw.limit_in_bytes'));
  // Unlimited: both files hold the same huge number.
  return memory !== undefined && memory === both && Number(memory) < Number.MAX_SAFE_INTEGER;
}
