import type { MemorySearch, Trace, UnreadableMemory } from '../process-memory/search.ts';
import { strayTraces } from '../process-memory/stray-traces.ts';
import type { ControlEvidence } from './leaky-controls.ts';
import type { ServiceEvidence } from './real-service.ts';
import { labelOf, tracesOf } from './traces.ts';

/** Failures of the real service; empty if its memory is clean. */
export function findServiceFailures({ accounts, secrets, auditKey, examinations }: ServiceEvidence): readonly string[] {
  const owners = new Set(secrets.map(({ owner }) => owner));
  const auditOwners = new Set(auditKey.map(({ owner }) => owner));
  return examinations.flatMap(({ moment, search }) => [
    ...groupsOf([
      ...search.traces.filter(({ secret }) => owners.has(secret.owner)),
      ...strayTraces(search.traces.filter(({ secret }) => auditOwners.has(secret.owner))),
    ]).map((group) => `${moment}: ${group}`),
    ...accounts
      .filter(({ publicKeySecret }) => tracesOf(search, publicKeySecret.owner).length === 0)
      .map(({ name }) => `${moment}: the public key of ${name} was not seen, so the search does not see everything`),
    ...findUnreadable(moment, search),
  ]);
}

/** Controls that the search misjudged. */
export function findControlFailures({ controls, search }: ControlEvidence): readonly string[] {
  return [
    ...controls.flatMap(({ leak, account }) => {
      const traces = tracesOf(search, account.name);
      const labels = traces.map(labelOf);
      if (leak.expected.length === 0 && traces.length > 0) return [`control ${account.name}: found ${labels[0]}`];
      return leak.expected
        .filter((expected) => !labels.includes(expected))
        .map((expected) => `control ${account.name}: the search did not find ${expected}`);
    }),
    ...findUnreadable('control', search),
  ];
}

function findUnreadable(moment: string, { unreadable }: MemorySearch): readonly string[] {
  return unreadable.filter(({ reason }) => reason === undefined).map((memory) => `${moment}: ${unreadText(memory)}`);
}

function unreadText({ bytes, place }: UnreadableMemory): string {
  return (
    `${bytes} bytes at ${place} could not be read. ` +
    'Where these are pages without access rights, the kernel hides them: it has to be started with proc_mem.force_override=always.'
  );
}

/** Groups traces by secret, form and kind of range. */
function groupsOf(traces: readonly Trace[]): readonly string[] {
  const groups = new Map<string, readonly Trace[]>();
  for (const trace of traces) {
    const key = `${trace.secret.owner}, ${labelOf(trace)} in ${trace.place}`;
    groups.set(key, [...(groups.get(key) ?? []), trace]);
  }
  return [...groups].map(
    ([key, [first, ...more]]) => `${key}, ${1 + more.length} times, first at 0x${first?.address.toString(16)}`,
  );
}
