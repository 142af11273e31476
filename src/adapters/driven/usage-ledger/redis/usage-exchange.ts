import type { Usage, UsageTotals } from '../../../../domain/model/usage.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { RedisCommands } from '../../../../redis/redis-connection.ts';
import { type Claim, claimName, type Held } from './claim-name.ts';
import type { OtherReplicas } from './other-replicas.ts';
import type { OwnCounters } from './own-counters.ts';
import { readChanges, readReplicas } from './read-changes.ts';
import { scanHash } from './scan-hash.ts';
import {
  accountOf,
  INDEX_KEY,
  type IndexEntry,
  indexText,
  isAccountField,
  keysOf,
  parseUsage,
  type ReplicaKeys,
  usageText,
} from './shared-counters.ts';
import type { Overflow } from './sharing-report.ts';

/** Accounts that are written with one command: well under a millisecond of Redis' time and of ours. */
const CHUNK = 200;

/** After so long everything is told anew, whether it changed or not: a value that was overwritten in place shows nowhere else. Milliseconds. */
const TELL_ALL_MS = 600_000;

/** What a {@link UsageExchange} works with. */
export interface ExchangeParts extends Claim {
  readonly own: OwnCounters;
  readonly others: OtherReplicas;
  /** Told when Redis holds more of this replica than its records say. */
  readonly onCarried: (totals: UsageTotals) => void;
  /** Told each time that there is no room for what others counted. */
  readonly onOverflow: (what: Overflow) => void;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/**
 * Tells Redis what this replica counted and reads what the others did. Everything is absolute, so that whatever is written twice, or read twice, counts once; and
 * whatever Redis lost is written again. Nothing here is asked for twice at once.
 */
export class UsageExchange {
  readonly #parts: ExchangeParts;
  readonly #keys: ReplicaKeys;
  /** The last revision that was given away, and the one that the index was told. */
  #revision = 0;
  #told = 0;
  /** What Redis held at the last look, and what it took as new since then. It only grows, unless something is lost. */
  #held: Held['accounts'] = [0, 0];
  /** Whether everything has to be written, and not changes alone. */
  #isLost = true;
  #toldTotals = '';
  /** When everything was told the last time, by the monotonic clock. */
  #toldAllAt = 0;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#keys = keysOf(parts.name);
  }

  /**
   * One exchange.
   * @returns whether this process holds its name; where another does, it has read and not written
   * @throws RedisFault; what was not written then is written the next time
   */
  async run(connection: RedisCommands): Promise<boolean> {
    // First, since it may take long after a start, and a claim does not last.
    await this.#read(connection);
    const held = await claimName(connection, this.#parts);
    if (held !== null) await this.#write(connection, held);
    return held !== null;
  }

  /** Lets the next process of this name begin at once. Only after a `run` that held it. */
  async release(connection: RedisCommands): Promise<void> {
    await connection.send([['DEL', this.#keys.owner]]);
  }

  async #write(connection: RedisCommands, held: Held): Promise<void> {
    const { own, token, clock } = this.#parts;
    const isOthers = held.entry !== null && held.entry.writer !== token;
    if (held.entry === null) own.settle();
    else if (isOthers) await this.#carry(connection, held.entry);
    const isOurs = held.entry?.writer === token && held.entry.revision === this.#told;
    const isDue = clock.monotonic() - this.#toldAllAt >= TELL_ALL_MS;
    if (!isOurs || isDue || isLess(held.accounts, this.#held)) this.#isLost = true;
    this.#held = isOthers ? [held.accounts[0], 0] : held.accounts;
    if (this.#isLost || own.changes > 0 || totalsText(own.totals()) !== this.#toldTotals) {
      await this.#tell(connection);
      return;
    }
    await connection.send([['PEXPIRE', this.#keys.owner, String(this.#parts.ownerMs)]]);
  }

  async #tell(connection: RedisCommands): Promise<void> {
    const { own, name, token, clock } = this.#parts;
    const isAll = this.#isLost;
    const chunks = isAll ? chunksOf(own.fields()) : chunksOfChanges(own);
    // Whatever breaks off before the index was told: nobody knows what Redis has kept of it by the next time.
    this.#isLost = true;
    for (const chunk of chunks) await this.#tellChunk(connection, chunk);
    this.#revision += 1;
    const totals = own.totals();
    await connection.send([['HSET', INDEX_KEY, name, indexText({ writer: token, revision: this.#revision, totals })]]);
    this.#isLost = false;
    if (isAll) this.#toldAllAt = clock.monotonic();
    this.#told = this.#revision;
    this.#toldTotals = totalsText(totals);
  }

  /** A process before this one wrote that, or one that had the name meanwhile. What it knew and the records don't say is not lost with them. */
  async #carry(connection: RedisCommands, entry: IndexEntry): Promise<void> {
    const { own, onCarried } = this.#parts;
    const excess = new Map<string, Usage>();
    for await (const page of scanHash(connection, this.#keys.counts)) {
      for (const [field, text] of page) {
        const usage = parseUsage(text);
        if (usage === null || !isAccountField(field)) continue;
        const more = own.excess(field, usage);
        if (more !== null) excess.set(field, more);
      }
    }
    const totals = own.excessTotals(entry.totals);
    // The order of its changes is none of ours, and is begun anew. Whoever reads everything anew, because the index names a new writer, finds them all with ours.
    await connection.send([['DEL', this.#keys.changes]]);
    own.carry(excess, totals);
    if (excess.size > 0 || totals.totalSigns + totals.errorCount > 0) onCarried(totals);
  }

  async #tellChunk(connection: RedisCommands, fields: readonly string[]): Promise<void> {
    // What changes from now on is told as a change.
    this.#parts.own.take(fields);
    const { counts, changes, owner } = this.#keys;
    const values: string[] = [];
    const revisions: string[] = [];
    for (const field of fields) {
      this.#revision += 1;
      values.push(field, usageText(this.#parts.own.usage(...accountOf(field))));
      revisions.push(String(this.#revision), field);
    }
    const [newCounts, newChanges] = await connection.send([
      ['HSET', counts, ...values],
      ['ZADD', changes, ...revisions],
      ['PEXPIRE', owner, String(this.#parts.ownerMs)],
    ]);
    // Without these, what is lost before the next look would not be missed by it.
    this.#held = [this.#held[0] + Number(newCounts), this.#held[1] + Number(newChanges)];
  }

  async #read(connection: RedisCommands): Promise<void> {
    const { name, others, onOverflow } = this.#parts;
    for (const [replica, entry] of await readReplicas(connection, () => onOverflow('replicas'))) {
      if (replica === name) continue;
      if (!others.hasRoomFor(replica)) {
        onOverflow('replicas');
        continue;
      }
      const from = others.readFrom(replica, entry);
      if (from === null) continue;
      await readChanges(connection, replica, from, (field, usage) => {
        if (!others.take(replica, field, usage)) onOverflow('accounts');
      });
      others.finish(replica, entry);
    }
  }
}

/** Of the size of one command. */
function* chunksOf(fields: Iterable<string>): Generator<readonly string[]> {
  let chunk: string[] = [];
  for (const field of fields) {
    chunk.push(field);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** As many as there are now; each has to be taken before the next is asked for. */
function* chunksOfChanges(own: OwnCounters): Generator<readonly string[]> {
  for (let left = own.changes; left > 0; left -= CHUNK) yield own.changed(CHUNK);
}

function totalsText({ totalSigns, errorCount }: UsageTotals): string {
  return `${totalSigns},${errorCount}`;
}

function isLess(now: Held['accounts'], before: Held['accounts']): boolean {
  return now[0] < before[0] || now[1] < before[1];
}
