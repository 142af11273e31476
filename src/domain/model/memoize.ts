/** Results that {@link memoizeRecent} caches. */
const MAX_CACHED = 1024;

/**
 * Memoizes by key object; results are dropped with their keys, exceptions are not cached.
 * @param compute depends on the immutable key alone
 */
export function memoizeByObject<Key extends object, Result extends object>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const cache = new WeakMap<Key, Result>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const result = compute(key);
    cache.set(key, result);
    return result;
  };
}

/**
 * Memoizes the 1024 newest keys: callers choose the keys, so the cache must be bounded.
 * @param compute depends on the key alone
 * @param copy makes the cached key, because a slice would keep its longer text in memory
 */
export function memoizeRecent<Key extends string | null, Result extends NonNullable<unknown>>(
  compute: (key: Key) => Result,
  copy: (key: Key) => Key = (key) => key,
): (key: Key) => Result {
  const cache = new Map<Key, Result>();
  return (key) => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const ownKey = copy(key);
    const result = compute(ownKey);
    for (const oldest of cache.keys()) {
      if (cache.size < MAX_CACHED) break;
      cache.delete(oldest);
    }
    cache.set(ownKey, result);
    return result;
  };
}
