import { z } from 'zod';
import type { AuditHead } from '../../domain/model/audit-entry.ts';
import { TIME_WINDOW_MS } from '../../domain/model/authentication.ts';
import type { WallClock } from '../../ports/clock.ts';
import type { ReplayClaimResult, ReplayGuard, ReplayKey } from '../../ports/replay-guard.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { readState, writeState } from '../files/state-file.ts';

/** About 8700 requests a second, at 30 seconds each. */
const MAX_KEYS = 2 ** 18;

/** Keys are grouped by expiry into spans of this length and dropped together. */
const SPAN_MS = 5000;

/** What a graceful stop keeps: the audit head of that time, and what was accepted until then. */
const fileSchema = z.strictObject({
  version: z.literal(1),
  seq: z.int().min(0),
  hash: z.string().nullable(),
  /** Times are milliseconds since 1970-01-01T00:00:00Z. */
  forgottenUntil: z.number(),
  generations: z.array(z.strictObject({ endsAt: z.number(), youngest: z.number(), keys: z.array(z.string()) })),
});

/** Keys that expire within one span. */
interface Generation {
  /** In base64url. */
  readonly keys: Set<string>;
  /** When the latest key was made. */
  youngest: number;
}

interface MemoryReplayGuardOptions {
  /** Written by this process alone: its folder's audit file is locked. */
  readonly file: string;
  readonly clock: WallClock;
  readonly log: ServiceLog;
  readonly maxKeys?: number;
}

/**
 * An in-memory ReplayGuard. A graceful stop keeps its keys in a file, and the next process goes on
 * with them. Without it, the previous process may have accepted requests made up to {@link
 * TIME_WINDOW_MS} after its end, so none made before that are accepted after a start. Nor are any
 * as old as a dropped key, so that a clock set back replays nothing.
 */
export class MemoryReplayGuard implements ReplayGuard {
  readonly #file: string;
  readonly #clock: WallClock;
  readonly #log: ServiceLog;
  readonly #maxKeys: number;
  /** By their end, milliseconds since 1970-01-01T00:00:00Z. */
  readonly #generations = new Map<number, Generation>();
  #count = 0;
  /** Keys made until then are unknown, milliseconds since 1970-01-01T00:00:00Z. */
  #forgottenUntil: number;
  #isClosed = false;

  constructor({ file, clock, log, maxKeys = MAX_KEYS }: MemoryReplayGuardOptions) {
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
    this.#maxKeys = maxKeys;
    this.#forgottenUntil = clock.now() + TIME_WINDOW_MS;
  }

  async start(head: AuditHead): Promise<void> {
    await this.#restore(head);
    const warning = await this.unavailability();
    if (warning !== null) this.#log.warn(warning);
  }

  async claim({ key, madeAt, until }: ReplayKey): Promise<ReplayClaimResult> {
    if (this.#isClosed) return 'unavailable';
    this.#dropExpired();
    const name = Buffer.from(key).toString('base64url');
    for (const { keys } of this.#generations.values()) if (keys.has(name)) return 'seen';
    if (madeAt <= this.#forgottenUntil) return this.#isBlind() ? 'unavailable' : 'too-old';
    if (this.#count >= this.#maxKeys) return 'unavailable';
    const generation = this.#getGeneration(until);
    generation.keys.add(name);
    generation.youngest = Math.max(generation.youngest, madeAt);
    this.#count += 1;
    return 'new';
  }

  async unavailability(): Promise<string | null> {
    this.#dropExpired();
    if (this.#isBlind()) {
      const until = new Date(this.#forgottenUntil).toISOString();
      return `Nonces used before this start are unknown, so requests made until ${until} are rejected. With SIGNING_REDIS_URL nonces survive a crash.`;
    }
    if (this.#count < this.#maxKeys) return null;
    return `The nonce cache is full (${this.#maxKeys} entries); entries expire within a minute.`;
  }

  async close({ seq, hash }: AuditHead): Promise<void> {
    this.#isClosed = true;
    const generations = Array.from(this.#generations, ([endsAt, { keys, youngest }]) => ({
      endsAt,
      youngest,
      keys: [...keys],
    }));
    try {
      const kept = { version: 1, seq, hash, forgottenUntil: this.#forgottenUntil };
      await writeState(this.#file, kept, 'generations', generations);
    } catch (cause) {
      this.#log.warn(
        'The accepted nonces cannot be written, so requests are rejected after the next start as after a crash. Free space on the disk of the file, or give the service user write access to it and its folder.',
        { file: this.#file, cause },
      );
    }
  }

  /** Goes on with the keys of the previous process, if its file is of that audit head. */
  async #restore({ seq, hash }: AuditHead): Promise<void> {
    try {
      const kept = await readState(this.#file, fileSchema);
      if (kept?.seq !== seq || kept.hash !== hash) return;
      // No accepted request is further ahead of a start, unless the clock was set back since.
      const latest = Math.max(kept.forgottenUntil, ...kept.generations.map(({ youngest }) => youngest));
      if (latest > this.#forgottenUntil) throw new Error('its time is ahead of the clock of this machine');
      for (const { endsAt, youngest, keys } of kept.generations) {
        this.#generations.set(endsAt, { keys: new Set(keys), youngest });
        this.#count += keys.length;
      }
      this.#forgottenUntil = kept.forgottenUntil;
    } catch (cause) {
      this.#log.warn(
        'The nonces accepted before this start are unusable, so requests are rejected as after a crash. The next graceful stop replaces the file.',
        { file: this.#file, cause },
      );
    }
  }

  /** Whether keys made now are unknown. */
  #isBlind(): boolean {
    return this.#clock.now() <= this.#forgottenUntil;
  }

  #getGeneration(until: number): Generation {
    const endsAt = Math.ceil(until / SPAN_MS) * SPAN_MS;
    const generation = this.#generations.get(endsAt) ?? { keys: new Set(), youngest: Number.NEGATIVE_INFINITY };
    this.#generations.set(endsAt, generation);
    return generation;
  }

  #dropExpired(): void {
    const now = this.#clock.now();
    for (const [endsAt, { keys, youngest }] of this.#generations) {
      if (endsAt >= now) continue;
      this.#generations.delete(endsAt);
      this.#count -= keys.size;
      this.#forgottenUntil = Math.max(this.#forgottenUntil, youngest);
    }
  }
}
