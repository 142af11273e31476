const SHARDS = 256;

/**
 * A Map whose keys begin with two hex digits that are spread evenly, as those of random UUIDs are, in 256 parts. One Map of 100,000 entries, which come and go, is copied in one go
 * when it has to grow (V8's OrderedHashTable), and signatures wait for it; a part is small. Keys that begin otherwise are kept as well.
 */
export class ShardedMap<Value> {
  readonly #shards = Array.from({ length: SHARDS }, () => new Map<string, Value>());
  readonly #others = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#partOf(key).get(key);
  }

  set(key: string, value: Value): void {
    this.#partOf(key).set(key, value);
  }

  delete(key: string): void {
    this.#partOf(key).delete(key);
  }

  clear(): void {
    for (const part of [...this.#shards, this.#others]) part.clear();
  }

  /** How many entries there are. */
  get size(): number {
    return this.#shards.reduce((sum, { size }) => sum + size, this.#others.size);
  }

  /** All keys; entries may come and go between two of them, as with a Map. */
  *keys(): Generator<string> {
    for (const part of [...this.#shards, this.#others]) yield* part.keys();
  }

  #partOf(key: string): Map<string, Value> {
    return this.#shards[Number.parseInt(key.slice(0, 2), 16)] ?? this.#others;
  }
}
