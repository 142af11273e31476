import type { RedisCommands, RedisReply } from '../../../../redis/redis-connection.ts';

/** Asked of Redis at a time; it may give more, and a field more than once. */
const PAGE = 500;

/** More pages than the most that is kept fills: who writes faster than is read here, or answers without end, is read no further. */
const MAX_PAGES = 10_000;

/** The fields of a hash with their values, in pages, whatever they are; none where it is no hash. Those that are there from start to end are among them. */
export async function* scanHash(
  connection: RedisCommands,
  key: string,
): AsyncGenerator<readonly (readonly [field: RedisReply, value: RedisReply])[]> {
  let cursor = '0';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const [next, content] = await connection.askForList(['HSCAN', key, cursor, 'COUNT', String(PAGE)]);
    yield pairs(Array.isArray(content) ? content : []);
    if (typeof next !== 'string' || next === '0') return;
    cursor = next;
  }
}

function pairs(flat: readonly RedisReply[]): readonly (readonly [RedisReply, RedisReply])[] {
  return Array.from({ length: Math.floor(flat.length / 2) }, (_, index) => [
    flat[2 * index] ?? null,
    flat[2 * index + 1] ?? null,
  ]);
}
