import { EMPTY_REGISTRY, type Registry } from '../model/registry.ts';

/** The generation of the configuration in force: the one mutable cell of the service. */
export class RegistryHolder {
  #current: Registry = EMPTY_REGISTRY;
  #loadedAt: string | null = null;
  #generation = 0;

  /**
   * Open its keys in the same event-loop tick only: replacing it wipes the keys that the next
   * lacks.
   */
  get current(): Registry {
    return this.#current;
  }

  /** When loading it began, ISO 8601 UTC: later changes are not in it. Null before the first. */
  get loadedAt(): string | null {
    return this.#loadedAt;
  }

  /** Generations so far. */
  get generation(): number {
    return this.#generation;
  }

  /** Puts a new generation in force atomically. */
  replace(next: Registry, loadedAt: string): void {
    this.#current = next;
    this.#loadedAt = loadedAt;
    this.#generation += 1;
  }
}
