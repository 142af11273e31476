import type { BenchResult } from '../../../../scripts/bench/bench-result.ts';
import type { Round } from '../../../../scripts/bench/measured-rounds.ts';

/** Of a run that never was. */
export const BENCH_FACTS: Pick<BenchResult, 'date' | 'commit' | 'isQuick' | 'machine'> = {
  date: '2026-11-22T17:00:00.000Z',
  commit: 'abc1234',
  isQuick: false,
  machine: {
    processor: 'Some <Processor> & Co',
    cores: 2,
    memoryBytes: 8e9,
    node: 'v20.19.0',
    kernel: '6.1.0',
    fileSystem: 'ext4 on /dev/sda1',
  },
};

/** One round for each rate. */
export function roundsOf(...rates: readonly number[]): readonly Round[] {
  const use = {
    p50: 1.5,
    p99: 4.25,
    cpuSecondsPer1000: 0.07123412,
    serviceCores: 1,
    callerCores: 0.2,
    otherCores: 0,
    rssBytes: 18e7,
  };
  return rates.map((perSecond) => ({ ...use, perSecond }));
}
