import { EMPTY_REGISTRY, type Registry } from '../model/registry.ts';

/** The one mutable cell of the service: which generation of the configuration serves now. */
export class RegistryHolder {
  #current: Registry = EMPTY_REGISTRY;
  #loadedAt: string | null = null;
  #generation = 0;

  /**
   * The generation in force. Its keys may be opened in the same turn of the event loop only: those
   * that the next generation does not have are wiped when it is put in force.
   */
  get current(): Registry {
    return this.#current;
  }

  /** When the reading of that generation began, ISO 8601 UTC: what was written later is not in it. Null before the first one. */
  get loadedAt(): string | null {
    return this.#loadedAt;
  }

  /** How many generations came into force so far. */
  get generation(): number {
    return this.#generation;
  }

  /** Puts a new generation in force, in one step. */
  replace(next: Registry, loadedAt: string): void {
    this.#current = next;
    this.#loadedAt = loadedAt;
    this.#generation += 1;
  }
}
