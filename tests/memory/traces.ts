import type { MemorySearch, Trace } from '../process-memory/search.ts';

/** Traces of whatever belongs to one owner. */
export function tracesOf({ traces }: MemorySearch, owner: string): readonly Trace[] {
  return traces.filter(({ secret }) => secret.owner === owner);
}

/** How a trace is told: `private key: hex lower`. */
export function labelOf({ secret, form }: Trace): string {
  return `${secret.name}: ${form}`;
}
