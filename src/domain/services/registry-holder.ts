import { EMPTY_REGISTRY, type Registry } from '../model/registry.ts';
import type { ReloadNote } from '../model/service-state.ts';
import type { ReloadResult } from './reload-description.ts';

/**
 * The generation of the configuration in force, and the loads of this process: the one mutable cell
 * of the service.
 */
export class RegistryHolder {
  #current: Registry = EMPTY_REGISTRY;
  #loadedAt: string | null = null;
  #generation = 0;
  #lastReload: ReloadNote | null = null;
  #lastResult: ReloadResult | null = null;
  #succeeded = 0;
  #failed = 0;

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

  /** Null before the first load has ended. */
  get lastReload(): ReloadNote | null {
    return this.#lastReload;
  }

  /** What the last successful load changed. Null before the first. */
  get lastResult(): ReloadResult | null {
    return this.#lastResult;
  }

  /** Loads of this process. */
  get reloads() {
    return { succeeded: this.#succeeded, failed: this.#failed };
  }

  /** Puts a new generation in force atomically. */
  replace(next: Registry, loadedAt: string): void {
    this.#current = next;
    this.#loadedAt = loadedAt;
    this.#generation += 1;
  }

  /** Notes a load. @param result of a successful one */
  noteReload(reload: ReloadNote, result: ReloadResult | null = null): void {
    this.#lastReload = reload;
    this.#lastResult = result ?? this.#lastResult;
    if (reload.outcome === 'success') this.#succeeded += 1;
    else this.#failed += 1;
  }
}
