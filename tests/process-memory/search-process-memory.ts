import { byteFormsOf, type Form, textFormsOf } from './forms.ts';
import { searchMemory } from './search.ts';

/** Must not be in a process's memory. */
export interface SoughtSecret {
  readonly name: string;
  /** Bytes verbatim, forms by parts; at least 12 bytes each. */
  readonly secrets: readonly (Buffer | Form)[];
}

/** Representations of a secret in memory. */
export function formsOf(secret: Buffer): readonly Form[] {
  return [...byteFormsOf(secret), ...textFormsOf(secret)];
}

/**
 * {@link searchMemory} that returns names only, once per trace.
 * @throws MemoryAccessError
 */
export function searchProcessMemory(pid: number, sought: readonly SoughtSecret[]): readonly string[] {
  const secrets = sought.map(({ name, secrets }) => ({
    owner: name,
    name,
    forms: secrets.map((secret) => (Buffer.isBuffer(secret) ? { name: 'as it is', parts: [secret] } : secret)),
  }));
  return searchMemory(pid, secrets).traces.map(({ secret }) => secret.owner);
}
