import type { DiskSpace } from '../../src/domain/model/service-state.ts';

/** A disk with space. */
export const ROOMY_DISK: DiskSpace = {
  freeBytes: 50_000_000_000,
  state: 'ok',
  lowBytes: 1_073_741_824,
  criticalBytes: 16_777_216,
};
