import type { ServiceLog } from '../../ports/service-log.ts';

/** A log for commands, which print what they find. */
export const SILENT_LOG: ServiceLog = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  recovered: () => false,
  flush: () => undefined,
};
