import type { Trace } from './search.ts';

/**
 * The traces of a private key that its process holds in one locked buffer, but for that one copy: the bytes as they are, in a page without access, once.
 */
export function strayTraces(traces: readonly Trace[]): readonly Trace[] {
  const held = new Set<number>();
  return traces.filter(({ secret, form, part, place }) => {
    const isLocked = secret.name === 'private key' && form === 'raw' && place.startsWith('---p ');
    if (!isLocked || held.has(part)) return true;
    held.add(part);
    return false;
  });
}
