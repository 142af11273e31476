import { EMPTY_REGISTRY, type Registry } from '../model/registry.ts';

/** A generation that was replaced, and what is to be done when nothing works with it any more. */
interface Retired {
  readonly registry: Registry;
  readonly then: () => void;
}

/** The one mutable cell of the service: which generation of the configuration serves now. */
export class RegistryHolder {
  #current: Registry = EMPTY_REGISTRY;
  #loadedAt: string | null = null;
  #generation = 0;
  /** How much work that takes more than one turn goes on with each generation. */
  readonly #users = new Map<Registry, number>();
  /** Oldest first. */
  readonly #retired: Retired[] = [];

  /** The generation in force. Take it once per request and keep to it; for work of more than one turn of the event loop, see `useCurrent`. */
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

  /** Lends the generation in force to work that takes more than one turn: it keeps its keys until that has ended. */
  async useCurrent<Result>(use: (registry: Registry) => Promise<Result>): Promise<Result> {
    const registry = this.#current;
    this.#users.set(registry, (this.#users.get(registry) ?? 0) + 1);
    try {
      return await use(registry);
    } finally {
      this.#release(registry);
    }
  }

  /**
   * Calls `then` once nothing works with a generation that was replaced, nor with an older one, which may have keys in common with it: at once, or when the last
   * such work has ended. Generations are given in the order in which they were replaced.
   */
  whenUnused(replaced: Registry, then: () => void): void {
    this.#retired.push({ registry: replaced, then });
    this.#endRetired();
  }

  #release(registry: Registry): void {
    const others = (this.#users.get(registry) ?? 1) - 1;
    if (others > 0) {
      this.#users.set(registry, others);
      return;
    }
    this.#users.delete(registry);
    this.#endRetired();
  }

  #endRetired(): void {
    for (let first = this.#retired[0]; first !== undefined; first = this.#retired[0]) {
      if (this.#users.has(first.registry)) return;
      this.#retired.shift();
      first.then();
    }
  }
}
