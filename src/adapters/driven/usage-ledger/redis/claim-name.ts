import type { RedisCommand, RedisCommands, RedisReply } from '../../../../redis/redis-connection.ts';
import { RedisFault } from '../../../../redis/redis-fault.ts';
import { INDEX_KEY, type IndexEntry, keysOf, parseIndexEntry } from './shared-counters.ts';

/** Who wants to write under a name. */
export interface Claim {
  /** Name of the replica. */
  readonly name: string;
  /** Tells its process from others of the same name, before and beside it. */
  readonly token: string;
  /** How long the name is kept for a process that is silent, milliseconds. */
  readonly ownerMs: number;
}

/** What Redis has of a replica. */
export interface Held {
  /** Null where there is none, or something else. */
  readonly entry: IndexEntry | null;
  /** Accounts with counts, and in the order of changes. */
  readonly accounts: readonly [counts: number, changes: number];
}

/**
 * Takes a name where nobody has it, and tells what Redis holds under it.
 * @returns null when another process has it
 * @throws RedisFault; also when a key held something of another kind: it is removed then, and the next attempt finds it in order
 */
export async function claimName(connection: RedisCommands, { name, token, ownerMs }: Claim): Promise<Held | null> {
  const { owner, counts, changes } = keysOf(name);
  const asked: readonly (readonly [key: string, command: RedisCommand])[] = [
    [owner, ['SET', owner, token, 'NX', 'PX', String(ownerMs)]],
    [owner, ['GET', owner]],
    [INDEX_KEY, ['HGET', INDEX_KEY, name]],
    [counts, ['HLEN', counts]],
    [changes, ['ZCARD', changes]],
  ];
  const replies = await connection.ask(asked.map(([, command]) => command));
  const strangers = asked.flatMap(([key], index) => (isWrongType(replies[index]) ? [key] : []));
  await remove(connection, [...new Set(strangers)]);
  const fault = replies.find((reply) => reply instanceof RedisFault);
  if (fault !== undefined) throw fault;
  const [, holder, entry, countsLength, changesLength] = replies as readonly RedisReply[];
  if (holder !== token) return null;
  return { entry: parseIndexEntry(entry), accounts: [Number(countsLength), Number(changesLength)] };
}

function isWrongType(reply: RedisReply | RedisFault | undefined): boolean {
  return reply instanceof RedisFault && reply.code === 'WRONGTYPE';
}

/** Keys of the counters that hold something else are of no use to anybody: what belongs there is written again. */
async function remove(connection: RedisCommands, keys: readonly string[]): Promise<void> {
  const [first, ...rest] = keys;
  if (first !== undefined) await connection.send([['DEL', first, ...rest]]);
}
