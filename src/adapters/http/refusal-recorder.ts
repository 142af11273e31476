import type { Response } from 'express';
import type { DisplayedEvent, RequestedEvent } from '../../domain/model/audit-entry.ts';
import type { Refusal } from '../../domain/model/refusal.ts';
import type { AuditEntryService } from '../../domain/services/audit-entry-service.ts';
import { getCallContext } from './call-context.ts';
import { markResponseDecided, respondWithRefusal } from './envelope.ts';
import type { HttpRefusal } from './http-refusal.ts';

/** Refusals recorded before the response, which is the same if the record fails. */
export class RefusalRecorder {
  readonly #audit: AuditEntryService;

  constructor(audit: AuditEntryService) {
    this.#audit = audit;
  }

  /** Refuses a malformed request to sign, verify or reload. */
  async malformed(event: RequestedEvent, response: Response, refusal: HttpRefusal): Promise<void> {
    markResponseDecided(response);
    await this.#audit.recordRejectedRequest(event, refusal.code, getCallContext(response));
    respondWithRefusal(response, refusal);
  }

  /** Refuses to show something. Only a missing permission is recorded. */
  async refuseRead(event: DisplayedEvent, response: Response, refusal: Refusal): Promise<void> {
    if (refusal.code === 'FORBIDDEN') {
      const { platformId, accountId } = refusal.details;
      const ids = { platformId: toText(platformId), accountId: toText(accountId) };
      await this.#audit.recordForbidden(event, ids, getCallContext(response));
    }
    respondWithRefusal(response, refusal);
  }
}

function toText(detail: unknown): string | null {
  return typeof detail === 'string' ? detail : null;
}
