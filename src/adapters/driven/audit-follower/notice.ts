import type { Sighting } from '../../../ports/audit-follower.ts';

/** Something to tell that is no record. */
export function notice(text: string): Sighting {
  return { kind: 'notice', text };
}
