import type { Issue } from './issue.ts';

/** What made the configuration be read: the start of the service, a call, a signal, or a file that changed. */
export type ReloadTrigger = 'start' | 'request' | 'signal' | 'watch';

/** How the latest reading of the configuration went. */
export interface ReloadNote {
  /** When it began, ISO 8601 UTC. */
  readonly at: string;
  readonly trigger: ReloadTrigger;
  readonly outcome: 'success' | 'failed';
  /** What is wrong, and where; empty after a success. */
  readonly issues: readonly Issue[];
  /** Whether it failed for a reason that is not in the files, so that the same files may be taken later. */
  readonly isTransient: boolean;
}
