import { z } from 'zod';
import type { Demand } from '../../domain/model/attempt.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Charged, WindowLedger } from '../../ports/window-ledger.ts';
import { readState, writeState } from '../files/state-file.ts';
import { BUDGETS } from './ledger-kind.ts';
import { charge, type Part } from './window.ts';

/** A maximum divided by this is reserved in the file beyond what was charged. */
const RESERVE_DIVISOR = 50;

const units = z.int().min(0);
const exponent = z.int();

/**
 * key, windowSeconds, exponent, units of 10^exponent that may have been charged since, at an
 * unknown time, and parts as endsAt, exponent, units
 */
const budgetSchema = z.tuple([z.string(), z.int().min(1), exponent, units, z.array(z.tuple([units, exponent, units]))]);

const fileSchema = z.strictObject({ version: z.literal(1), budgets: z.array(budgetSchema) });

/** A budget of one account. */
interface Budget {
  /** The latest demand. */
  readonly latest: Pick<Demand, 'windowSeconds' | 'exponent' | 'maxUnits'>;
  /** Units that can be charged before the file must be written; negative: it must be now. */
  readonly reserved: number;
}

interface FileWindowLedgerOptions extends Pick<Ports, 'clock' | 'log'> {
  /** Written by this process alone: its folder's audit file is locked. */
  readonly file: string;
}

/**
 * The budgets of one process. Charges are counted in memory; the file has them all, and ahead of
 * them a reserved part of each maximum, so that few charges wait for the disk. After a crash the
 * reserved part counts as charged. Charges that wait during a write share the next.
 */
export class FileWindowLedger implements WindowLedger {
  readonly #options: FileWindowLedgerOptions;
  readonly #charges = new Map<string, readonly Part[]>();
  readonly #budgets = new Map<string, Budget>();
  /** Whether the file could be read; null: try. */
  #reading: Promise<boolean> | null = null;
  /** Whether the latest write succeeded. */
  #writing = Promise.resolve(true);
  /** The write after it. */
  #next: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(options: FileWindowLedgerOptions) {
    this.#options = options;
  }

  async charge(demands: readonly Demand[]): Promise<Charged | null> {
    if (this.#isClosed) return null;
    this.#reading ??= this.#read();
    if (!(await this.#reading)) return null;
    const charged = charge(this.#charges, demands, BUDGETS, this.#options.clock.now());
    const isAhead = charged.grants.map(({ granted }, index) => this.#take(demands[index] as Demand, granted) < 0);
    if (charged.grants.every(({ granted }) => granted === 0)) return charged;
    // What is reserved counts once the write that reserves it has ended.
    if (await (isAhead.includes(true) ? this.#write() : this.#writing)) return charged;
    await charged.refund();
    return null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reading;
    await this.#next;
    await this.#writing;
    if (this.#charges.size > 0) await this.#replace(() => 0);
  }

  /** Takes units of what is reserved; returns what is left. */
  #take(latest: Demand, units: number): number {
    const known = this.#budgets.get(latest.key);
    const reserved = (known?.latest.exponent === latest.exponent ? known.reserved : 0) - units;
    this.#budgets.set(latest.key, { latest, reserved });
    return reserved;
  }

  async #read(): Promise<boolean> {
    try {
      const kept = await readState(this.#options.file, fileSchema);
      for (const [key, windowSeconds, exponent, reserved, parts] of kept?.budgets ?? []) {
        // What may have been charged after the file was written counts from now on.
        const all = reserved > 0 ? [...parts, [this.#options.clock.now(), exponent, reserved] as const] : parts;
        this.#charges.set(
          key,
          all.map(([endsAt, ofPart, units]) => ({ endsAt, exponent: ofPart, units })),
        );
        this.#budgets.set(key, { latest: { windowSeconds, exponent, maxUnits: 0 }, reserved: 0 });
      }
      return this.#succeeded();
    } catch (cause) {
      this.#reading = null;
      return this.#failed('read. If it is damaged, move it to another folder: all budgets then start from zero', cause);
    }
  }

  /** A write that begins after this call. */
  #write(): Promise<boolean> {
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      this.#writing = this.#replace((maxUnits) => Math.floor(maxUnits / RESERVE_DIVISOR));
      return this.#writing;
    });
    return this.#next;
  }

  async #replace(reserve: (maxUnits: number) => number): Promise<boolean> {
    const { file, clock } = this.#options;
    const stored: z.infer<typeof budgetSchema>[] = [];
    for (const [key, { latest }] of this.#budgets) {
      const { windowSeconds, exponent, maxUnits } = latest;
      const from = clock.now() - windowSeconds * 1000;
      const parts = (this.#charges.get(key) ?? []).filter(({ endsAt }) => endsAt > from);
      const reserved = reserve(maxUnits);
      if (parts.length > 0) {
        this.#budgets.set(key, { latest, reserved });
        stored.push([
          key,
          windowSeconds,
          exponent,
          reserved,
          parts.map((part) => [part.endsAt, part.exponent, part.units]),
        ]);
      } else {
        this.#budgets.delete(key);
        this.#charges.delete(key);
      }
    }
    try {
      await writeState(file, { version: 1 }, 'budgets', stored);
      return this.#succeeded();
    } catch (cause) {
      // The file may be the old or the new one: the next charge writes it first.
      for (const [key, { latest }] of this.#budgets) this.#budgets.set(key, { latest, reserved: 0 });
      return this.#failed(
        'written. Free space on its disk, or give the service user write access to it and its folder',
        cause,
      );
    }
  }

  #failed(what: string, cause: unknown): false {
    const { file, log } = this.#options;
    log.error(`${BUDGETS.outage} The budget file cannot be ${what}.`, { file, cause }, BUDGETS);
    return false;
  }

  #succeeded(): true {
    const { file, log } = this.#options;
    log.recovered(BUDGETS.recovered, { file }, BUDGETS);
    return true;
  }
}
