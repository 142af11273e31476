import { readFileSync } from 'node:fs';

/** The text of a small file of the system (proc(5), cgroups(7)); undefined where there is none, or none that this user may read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
