import type { Trace } from './search.ts';

/** Traces other than the one allowed copy: raw bytes in an inaccessible page. */
export function strayTraces(traces: readonly Trace[]): readonly Trace[] {
  const held = new Set<number>();
  return traces.filter(({ secret, form, part, place }) => {
    const isLocked = secret.name === 'private key' && form === 'raw' && place.startsWith('---p ');
    if (!isLocked || held.has(part)) return true;
    held.add(part);
    return false;
  });
}
