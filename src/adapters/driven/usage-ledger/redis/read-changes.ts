import type { Usage } from '../../../../domain/model/usage.ts';
import type { RedisCommands } from '../../../../redis/redis-connection.ts';
import { MAX_ACCOUNTS, MAX_REPLICAS } from './other-replicas.ts';
import { scanHash } from './scan-hash.ts';
import {
  INDEX_KEY,
  type IndexEntry,
  isAccountField,
  isReplicaName,
  keysOf,
  parseIndexEntry,
  parseUsage,
} from './shared-counters.ts';

/** Accounts that are read with one command. */
const PAGE = 200;

/**
 * What the index says, of up to {@link MAX_REPLICAS} replicas.
 * @param onMore called for each beyond them
 */
export async function readReplicas(
  connection: RedisCommands,
  onMore: () => void,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const replicas = new Map<string, IndexEntry>();
  for await (const page of scanHash(connection, INDEX_KEY)) {
    for (const [name, text] of page) {
      const entry = parseIndexEntry(text);
      if (entry === null || !isReplicaName(name)) continue;
      if (replicas.has(name) || replicas.size < MAX_REPLICAS) replicas.set(name, entry);
      else onMore();
    }
  }
  return replicas;
}

/**
 * Reads what a replica wrote behind a revision, in pages, and gives what is in order to `take`. What is not is passed over.
 * @param after -1 for everything
 */
export async function readChanges(
  connection: RedisCommands,
  replica: string,
  after: number,
  take: (field: string, usage: Usage) => void,
): Promise<void> {
  const { counts, changes } = keysOf(replica);
  let from = String(after);
  for (let read = 0; read < MAX_ACCOUNTS; read += PAGE) {
    const scored = await connection.askForList([
      'ZRANGEBYSCORE',
      changes,
      `(${from}`,
      '+inf',
      'WITHSCORES',
      'LIMIT',
      '0',
      String(PAGE),
    ]);
    const fields = scored.filter((_, index) => index % 2 === 0).filter(isAccountField);
    if (fields.length > 0) {
      const texts = await connection.askForList(['HMGET', counts, ...fields]);
      for (const [index, field] of fields.entries()) {
        const usage = parseUsage(texts[index]);
        if (usage !== null) take(field, usage);
      }
    }
    const last = scored.at(-1);
    if (scored.length < 2 * PAGE || typeof last !== 'string' || !/^\d{1,16}$/.test(last)) return;
    from = last;
  }
}
