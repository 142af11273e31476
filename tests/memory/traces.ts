import type { MemorySearch, Trace } from '../process-memory/search.ts';

/** Traces of one owner's secrets. */
export function tracesOf({ traces }: MemorySearch, owner: string): readonly Trace[] {
  return traces.filter(({ secret }) => secret.owner === owner);
}

/** Such as `private key: hex lower`. */
export function labelOf({ secret, form }: Trace): string {
  return `${secret.name}: ${form}`;
}
