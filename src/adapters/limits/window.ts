import type { Demand } from '../../domain/model/attempt.ts';
import type { Charged } from '../../ports/window-ledger.ts';

/** Charges in one part of a window. */
export interface Part {
  /** Milliseconds. */
  endsAt: number;
  /** The charged units are of 10^exponent. */
  readonly exponent: number;
  /** An integer, at least 0. */
  units: number;
}

/** How a ledger counts. */
export interface Counting {
  /** Parts of a window: a charge counts for the window, and at most this part of it longer. */
  readonly parts: number;
  /** Whether a call charges all of its demands or none. */
  readonly isTogether: boolean;
}

/** Parts of charged windows by key, in order of their ends. */
export interface Charges {
  get(key: string): readonly Part[] | undefined;
  set(key: string, parts: readonly Part[]): unknown;
}

/**
 * Charges demands, like CHARGE_SCRIPT in redis-window-ledger.ts.
 * @param now milliseconds on the clock of the parts
 */
export function charge(charges: Charges, demands: readonly Demand[], counting: Counting, now: number): Charged {
  const windows = demands.map((demand) => measure(charges.get(demand.key) ?? [], demand, counting, now));
  const isNone = counting.isTogether && windows.some(({ isRefused }) => isRefused);
  for (const window of windows) {
    if (isNone) window.granted = 0;
    if (window.granted === 0) continue;
    window.current.units += window.granted;
    charges.set(window.key, window.parts);
  }
  return {
    grants: windows,
    refund: async () => {
      for (const { current, granted } of windows) current.units -= granted;
    },
  };
}

/** What fits in a demand's window. */
function measure(all: readonly Part[], demand: Demand, counting: Counting, now: number) {
  const { key, units, minUnits, exponent, windowSeconds } = demand;
  const width = getWidth(demand, counting);
  const endsAt = (Math.floor(now / width) + 1) * width;
  const from = now - windowSeconds * 1000;
  const parts: Part[] = [];
  for (const part of all) {
    // After the clock was set back, or the window became shorter.
    part.endsAt = Math.min(part.endsAt, endsAt);
    if (part.endsAt <= from) continue;
    const at = findLast(parts, part);
    const same = parts[at];
    if (same === undefined) parts.push(part);
    else parts[at] = { ...part, units: same.units + part.units };
  }
  const left = getLeft(parts, demand);
  const known = parts[findLast(parts, { endsAt, exponent })];
  const current = known ?? { endsAt, exponent, units: 0 };
  if (known === undefined) parts.push(current);
  const isRefused = left < minUnits;
  const granted = isRefused ? 0 : Math.min(units, left);
  const retryAfterMs = (wanted: number) => computeRetry(parts, demand, counting, wanted, now);
  return { key, parts, current, isRefused, granted, retryAfterMs, left: () => Math.max(0, getLeft(parts, demand)) };
}

/** Units of a demand that fit beside these parts; negative if more is charged. */
export function getLeft(parts: readonly Part[], { exponent, maxUnits }: Demand): number {
  return parts.reduce((rest, part) => rest - convert(part, exponent), maxUnits);
}

/** Where the part of this end and unit is; -1 for nowhere. */
function findLast(parts: readonly Part[], { endsAt, exponent }: Omit<Part, 'units'>): number {
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at];
    if (part === undefined || part.endsAt < endsAt) break;
    if (part.endsAt === endsAt && part.exponent === exponent) return at;
  }
  return -1;
}

/** See `Grant.retryAfterMs`: enough parts have left the window then. */
export function computeRetry(
  parts: readonly Part[],
  demand: Demand,
  counting: Counting,
  units: number,
  now: number,
): number {
  const { maxUnits, exponent, windowSeconds } = demand;
  const windowMs = windowSeconds * 1000;
  const rounds = Math.ceil(units / maxUnits) - 1;
  const charged = parts.map((part) => convert(part, exponent));
  let missing = charged.reduce((sum, converted) => sum + converted, units - (rounds + 1) * maxUnits);
  let fitsAt = now;
  for (const [index, { endsAt }] of parts.entries()) {
    if (missing <= 0) break;
    missing -= charged[index] ?? 0;
    fitsAt = endsAt + windowMs;
  }
  return Math.ceil(fitsAt - now) + rounds * (windowMs + getWidth(demand, counting));
}

function getWidth({ windowSeconds }: Demand, { parts }: Counting): number {
  return Math.ceil((windowSeconds * 1000) / parts);
}

/** Units of a part in those of 10^exponent, rounded up. Lua and JavaScript divide alike. */
function convert({ units, exponent: from }: Part, exponent: number): number {
  if (from === exponent || units === 0) return units;
  return from > exponent ? units * 10 ** (from - exponent) : Math.ceil(units / 10 ** (exponent - from));
}
