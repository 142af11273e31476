import type { Response } from 'express';
import type { RequestedEvent } from '../../domain/model/audit-entry.ts';
import { refused } from '../../domain/model/outcome.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import type { AuditEntryService } from '../../domain/services/audit-entry-service.ts';
import type { RegistryHolder } from '../../domain/services/registry-holder.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { getCallContext } from './call-context.ts';
import { markResponseDecided, respondWithRefusal } from './envelope.ts';

/** What a {@link RefusalRecorder} works with. */
export interface RefusalRecorderDependencies {
  readonly registry: RegistryHolder;
  readonly audit: AuditEntryService;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** Refusals recorded before the response, which is the same if the record fails. */
export class RefusalRecorder {
  readonly #parts: RefusalRecorderDependencies;

  constructor(parts: RefusalRecorderDependencies) {
    this.#parts = parts;
  }

  /** Refuses a malformed request to sign, verify or reload. */
  async malformed(event: RequestedEvent, response: Response, refusal: Refusal): Promise<void> {
    markResponseDecided(response);
    await this.#parts.audit.recordRejectedRequest(event, refusal.code, getCallContext(response));
    respondWithRefusal(response, refusal);
  }

  /**
   * Whether the caller may do an operation on the service, or on any account; false: it has
   * responded FORBIDDEN.
   */
  async permit(operation: 'read' | 'reload' | 'status', response: Response): Promise<boolean> {
    const { registry, audit, clock } = this.#parts;
    const context = getCallContext(response);
    const refusal = registry.current.permissions.refuse(context.principal, operation);
    if (refusal === null) return true;
    if (operation === 'reload') {
      this.#logDenial(response);
      await audit.recordReload([{ trigger: 'request', context }], refused(refusal), clock.monotonic());
    } else await audit.recordForbidden(operation, { platformId: null, accountId: null }, context);
    respondWithRefusal(response, refusal);
    return false;
  }

  /** Refuses to show an account. Only a missing permission is recorded. */
  async refuseRead(response: Response, refusal: Refusal): Promise<void> {
    if (refusal.code === 'FORBIDDEN') {
      const { platformId, accountId } = refusal.details;
      const ids = { platformId: toText(platformId), accountId: toText(accountId) };
      await this.#parts.audit.recordForbidden('read', ids, getCallContext(response));
    }
    respondWithRefusal(response, refusal);
  }

  #logDenial(response: Response): void {
    const { principal, remoteAddress, correlationId } = getCallContext(response);
    const facts = { principal, remoteAddress, correlationId };
    const throttling = { topic: 'denied reloads', cause: principal ?? '' };
    this.#parts.log.warn('Reload denied: the caller has no permission.', facts, throttling);
  }
}

function toText(detail: unknown): string | null {
  return typeof detail === 'string' ? detail : null;
}
