import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import { permissionDenied } from '../model/refusal.ts';
import type { CallContext } from '../model/sign-request.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { ReloadResult, ReloadService } from './reload-service.ts';

/** What a RequestedReloadService works with. */
export interface RequestedReloadParts {
  readonly registry: RegistryHolder;
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly audit: AuditEntryService;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** Reloads that callers ask for. Those of a signal, and of a file that changed, are the operator's and don't come this way. */
export class RequestedReloadService {
  readonly #parts: RequestedReloadParts;

  constructor(parts: RequestedReloadParts) {
    this.#parts = parts;
  }

  /** As {@link ReloadService.reload}; FORBIDDEN, on record, for who may not. Then nothing is read, and a reload that is due is neither hastened nor put off. */
  async request(context: CallContext): Promise<Outcome<ReloadResult>> {
    const { registry, reloads, audit, clock, log } = this.#parts;
    const { principal, remoteAddress, correlationId } = context;
    if (registry.current.permissions.allows(principal, 'reload')) return reloads.reload('request', context);

    const refusal = permissionDenied('reload', principal);
    log.warn('A reload was refused: its caller has no permission.', { principal, remoteAddress, correlationId });
    await audit.recordReload('request', refused(refusal), clock.monotonic(), context);
    return refused(refusal);
  }
}
