/** How long everything is measured. Times are in milliseconds. */
export interface BenchPlan {
  /** Of a service that has just begun, before its first round: its code is compiled meanwhile. */
  readonly firstWarmUpMs: number;
  /** At the beginning of each round. */
  readonly warmUpMs: number;
  /** Single requests as fast as they go. */
  readonly singles: Turns;
  readonly batches: Turns;
  /** Loops of the libraries beside the batches. */
  readonly rawMs: number;
  readonly audit: Turns;
  /** At a steady pace; several rounds where there is time for them, so that one long write to the disk does not decide what is told. */
  readonly paced: { readonly rounds: number; readonly paces: readonly Pace[] };
  /** The disk alone; null: not measured. */
  readonly disk: Turns | null;
  readonly processes: Turns | null;
  readonly manyAccounts: Turns | null;
}

/** So many requests a second, for so long in each round. */
export interface Pace {
  readonly perSecond: 1000 | 100;
  readonly ms: number;
}

/** So many rounds of so many milliseconds for each scenario. */
export interface Turns {
  readonly rounds: number;
  readonly ms: number;
}

/** Everything, in less than three minutes. Many short rounds: machines that others share change their speed from second to second, and a ratio is true only of moments that are close together. */
export const FULL_PLAN: BenchPlan = {
  firstWarmUpMs: 1500,
  warmUpMs: 150,
  singles: { rounds: 13, ms: 400 },
  batches: { rounds: 10, ms: 700 },
  rawMs: 250,
  audit: { rounds: 10, ms: 500 },
  paced: {
    rounds: 5,
    paces: [
      { perSecond: 1000, ms: 800 },
      { perSecond: 100, ms: 1200 },
    ],
  },
  disk: { rounds: 3, ms: 500 },
  processes: { rounds: 8, ms: 900 },
  manyAccounts: { rounds: 10, ms: 500 },
};

/** The main ratios, in half a minute. */
export const QUICK_PLAN: BenchPlan = {
  firstWarmUpMs: 600,
  warmUpMs: 150,
  singles: { rounds: 3, ms: 350 },
  batches: { rounds: 3, ms: 400 },
  rawMs: 150,
  audit: { rounds: 3, ms: 350 },
  paced: { rounds: 1, paces: [{ perSecond: 1000, ms: 1000 }] },
  disk: null,
  processes: null,
  manyAccounts: null,
};
