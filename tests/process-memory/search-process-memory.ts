import { byteFormsOf, type Form, textFormsOf } from './forms.ts';
import { searchMemory } from './search.ts';

/** Something that must not be in a process's memory. */
export interface SoughtSecret {
  readonly name: string;
  /** Each is looked for: bytes as they are, a form in its parts. At least 12 bytes each. */
  readonly secrets: readonly (Buffer | Form)[];
}

/** Ways in which a secret could stand in memory. */
export function formsOf(secret: Buffer): readonly Form[] {
  return [...byteFormsOf(secret), ...textFormsOf(secret)];
}

/**
 * Searches all of a process's memory, as {@link searchMemory} does, and tells only what was found: names, once for each trace.
 * @throws MemoryAccessError when the memory may not be read
 */
export function searchProcessMemory(pid: number, sought: readonly SoughtSecret[]): readonly string[] {
  const secrets = sought.map(({ name, secrets }) => ({
    owner: name,
    name,
    forms: secrets.map((secret) => (Buffer.isBuffer(secret) ? { name: 'as it is', parts: [secret] } : secret)),
  }));
  return searchMemory(pid, secrets).traces.map(({ secret }) => secret.owner);
}
