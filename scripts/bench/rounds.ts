/** Results of a round. */
export interface Round {
  readonly perSecond: number;
  /** CPU seconds for 1000 signatures, of all threads of the servers. */
  readonly cpuPer1000: number;
  /** Latency of a request, milliseconds; null without requests. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Busy processors of the servers. */
  readonly cores: number | null;
  /** Resident memory of the servers under load; null if it says nothing. */
  readonly memoryBytes: number | null;
  /** Whether other programs took a part of the machine. */
  readonly isDisturbed: boolean;
}

/** All rounds of a scenario. */
export interface Scenario {
  /** Medians of each field. */
  readonly median: Omit<Round, 'isDisturbed'>;
  readonly rounds: readonly Round[];
}

/** Results by scenario. */
export type Scenarios = ReadonlyMap<string, Scenario>;

/** Collects rounds of scenarios. */
export class Rounds {
  readonly #rounds = new Map<string, Round[]>();

  add(name: string, round: Round): void {
    this.#rounds.set(name, [...(this.#rounds.get(name) ?? []), round]);
  }

  scenarios(): Scenarios {
    return new Map([...this.#rounds].map(([name, rounds]) => [name, { median: toMedian(rounds), rounds }]));
  }
}

/** Alternates scenarios, every other time in reverse. */
export async function inTurns(rounds: number, scenarios: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of round % 2 === 0 ? scenarios : scenarios.toReversed()) await scenario();
  }
}

function toMedian(rounds: readonly Round[]): Scenario['median'] {
  const of = (field: 'perSecond' | 'cpuPer1000' | 'p50' | 'p99' | 'cores' | 'memoryBytes') => {
    const sorted = rounds.flatMap((round) => round[field] ?? []).sort((left, right) => left - right);
    return sorted[Math.floor(sorted.length / 2)];
  };
  return {
    ...{ perSecond: of('perSecond') ?? Number.NaN, cpuPer1000: of('cpuPer1000') ?? Number.NaN },
    ...{ p50: of('p50') ?? null, p99: of('p99') ?? null, cores: of('cores') ?? null },
    memoryBytes: of('memoryBytes') ?? null,
  };
}
