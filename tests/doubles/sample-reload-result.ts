import { NodeHasher } from '../../src/adapters/node/node-hasher.ts';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import { EMPTY_REGISTRY } from '../../src/domain/model/registry.ts';
import { compareRegistries } from '../../src/domain/services/registry-difference.ts';
import { describeReload } from '../../src/domain/services/reload-description.ts';
import { FixedClock } from './fixed-clock.ts';

const [NONE, SLICE] = [EMPTY_REGISTRY, new TimeSlice(new FixedClock())];

/** Result of a reload without changes. */
export const SAMPLE_RELOAD_RESULT = await describeReload(
  '2026-11-20T08:49:00.000Z',
  await compareRegistries(NONE, NONE, SLICE),
  NONE,
  NONE,
  new NodeHasher(),
  SLICE,
);
