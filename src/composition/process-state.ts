import type { ProcessState, RefreshState } from '../domain/model/service-state.ts';
import { memoryLockState } from '../secure-memory/memory-lock.ts';
import type { FreeSpace } from './free-space.ts';
import type { KeptAuthentication } from './keep-authentication.ts';
import type { Listeners } from './listeners.ts';
import { SERVICE_VERSION } from './service-version.ts';

/** What is looked at. */
export interface ProcessParts {
  /** Where the audit file is. */
  readonly auditSpace: Pick<FreeSpace, 'bytes'>;
  readonly refreshes: { readonly state: RefreshState };
  readonly listeners: Pick<Listeners, 'state'>;
  /** Null where it is off. */
  readonly authentication: Pick<KeptAuthentication, 'state'> | null;
}

/** How this process and its surroundings are now. Never rejects. */
export async function lookAround(parts: ProcessParts): Promise<ProcessState> {
  const [auditFreeBytes, listeners, authentication] = await Promise.all([
    parts.auditSpace.bytes(),
    parts.listeners.state(),
    parts.authentication?.state() ?? null,
  ]);
  return {
    version: SERVICE_VERSION,
    nodeVersion: process.version,
    isMemoryLocked: memoryLockState() === 'locked',
    refreshes: parts.refreshes.state,
    ...{ auditFreeBytes, listeners, authentication },
  };
}
