import { createHash } from 'node:crypto';

/** The seed of a batch of a run: others for other runs, however close their seeds are. A whole number of 32 bits, with its sign. */
export function batchSeed(seed: number, batch: number): number {
  return createHash('sha256').update(`${seed} ${batch}`).digest().readInt32LE();
}
