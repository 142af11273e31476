import type { BudgetDemand } from '../../domain/model/attempt.ts';
import { BUCKETS_PER_WINDOW } from '../../ports/budget-ledger.ts';

/** Charges in one part of a window. */
export interface Bucket {
  /** When the part ends, milliseconds since 1970-01-01T00:00:00Z. */
  readonly endsAt: number;
  /** The charged units are of 10^exponent. */
  readonly exponent: number;
  /** An integer, at least 0. */
  readonly units: number;
}

/** Charges to one budget of one account, like CHARGE_SCRIPT in redis-budget-ledger.ts. */
export class BudgetWindow {
  readonly #buckets: Bucket[];

  constructor(buckets: readonly Bucket[] = []) {
    this.#buckets = [...buckets];
  }

  get buckets(): readonly Bucket[] {
    return this.#buckets;
  }

  /** Whether the demand fits. Drops buckets that ended before the window. */
  fits({ units, maxUnits, exponent, windowSeconds }: BudgetDemand, now: number): boolean {
    this.drop(now - windowSeconds * 1000);
    const charged = this.#buckets.reduce((sum, bucket) => sum + convert(bucket, exponent), 0);
    return charged + units <= maxUnits;
  }

  /** Charges a demand that fits. Returns the bucket's time, for {@link refund}. */
  charge({ units, exponent, windowSeconds }: BudgetDemand, now: number): number {
    const width = Math.ceil((windowSeconds * 1000) / BUCKETS_PER_WINDOW);
    const endsAt = (Math.floor(now / width) + 1) * width;
    this.#add({ endsAt, exponent, units });
    return endsAt;
  }

  /** Takes a charge back, if it is still counted. */
  refund({ units, exponent }: BudgetDemand, endsAt: number): void {
    const index = this.#find({ endsAt, exponent });
    const bucket = this.#buckets[index];
    if (bucket !== undefined) this.#buckets[index] = { ...bucket, units: Math.max(0, bucket.units - units) };
  }

  /** Drops buckets that ended until then. */
  drop(until: number): void {
    const kept = this.#buckets.filter(({ endsAt }) => endsAt > until);
    if (kept.length < this.#buckets.length) this.#buckets.splice(0, this.#buckets.length, ...kept);
  }

  #add(added: Bucket): void {
    const index = this.#find(added);
    const bucket = this.#buckets[index];
    if (bucket === undefined) this.#buckets.push(added);
    else this.#buckets[index] = { ...added, units: bucket.units + added.units };
  }

  #find({ endsAt, exponent }: Pick<Bucket, 'endsAt' | 'exponent'>): number {
    return this.#buckets.findIndex((bucket) => bucket.endsAt === endsAt && bucket.exponent === exponent);
  }
}

/** Units of a bucket in those of another `max`, 10^exponent, rounded up. */
function convert(bucket: Bucket, exponent: number): number {
  return bucket.exponent === exponent ? bucket.units : Math.ceil(bucket.units * 10 ** (bucket.exponent - exponent));
}
