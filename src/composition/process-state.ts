import type { ProcessState, RefreshState } from '../domain/model/service-state.ts';
import { memoryLockState } from '../secure-memory/memory-lock.ts';
import type { AuditDiskWatch } from './audit-disk-watch.ts';
import type { KeptAuthentication } from './keep-authentication.ts';
import type { Listeners } from './listeners.ts';
import { SERVICE_VERSION } from './service-version.ts';

/** What is looked at. */
export interface ProcessParts {
  readonly auditDisk: Pick<AuditDiskWatch, 'check' | 'state'>;
  readonly refreshes: { readonly state: RefreshState };
  readonly listeners: Pick<Listeners, 'state'>;
  /** Null where it is off. */
  readonly authentication: Pick<KeptAuthentication, 'state'> | null;
}

/** How this process and its surroundings are now. Never rejects. */
export async function lookAround(parts: ProcessParts): Promise<ProcessState> {
  const [, listeners, authentication] = await Promise.all([
    parts.auditDisk.check(),
    parts.listeners.state(),
    parts.authentication?.state() ?? null,
  ]);
  return {
    version: SERVICE_VERSION,
    nodeVersion: process.version,
    isMemoryLocked: memoryLockState() === 'locked',
    refreshes: parts.refreshes.state,
    auditFreeBytes: parts.auditDisk.state.freeBytes,
    ...{ listeners, authentication },
  };
}
