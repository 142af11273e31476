import { EMPTY_REGISTRY, type Registry } from '../model/registry.ts';

/** The one mutable cell of the service: which generation of the configuration serves now. */
export class RegistryHolder {
  #current: Registry = EMPTY_REGISTRY;
  #loadedAt: string | null = null;

  /** The generation in force. Take it once per request and keep to it. */
  get current(): Registry {
    return this.#current;
  }

  /** When the reading of that generation began, ISO 8601 UTC: what was written later is not in it. Null before the first one. */
  get loadedAt(): string | null {
    return this.#loadedAt;
  }

  /** Puts a new generation in force, in one step. */
  replace(next: Registry, loadedAt: string): void {
    this.#current = next;
    this.#loadedAt = loadedAt;
  }
}
