import type { Sighting } from '../../../domain/model/audit-sighting.ts';

/** Something to tell that is no record. */
export function notice(text: string): Sighting {
  return { kind: 'notice', text };
}
