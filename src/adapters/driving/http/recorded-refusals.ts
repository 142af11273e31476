import type { Response } from 'express';
import type { RequestedEvent, ShownEvent } from '../../../domain/model/audit-entry.ts';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import { callContextOf } from './callers/call-context.ts';
import { answerRefusal, decideAnswer } from './envelope.ts';
import type { HttpRefusal } from './http-refusal.ts';

/**
 * Refusals that are on the audit record before they are the response. Nothing was signed or shown,
 * so the response is the same where the record could not be written.
 */
export class RecordedRefusals {
  readonly #audit: AuditEntryService;

  constructor(audit: AuditEntryService) {
    this.#audit = audit;
  }

  /** Refuses a request to sign, to verify or to reload before any account is looked up. */
  async malformed(event: RequestedEvent, response: Response, refusal: HttpRefusal): Promise<void> {
    decideAnswer(response);
    await this.#audit.recordMalformedRequest(event, refusal.code, callContextOf(response));
    answerRefusal(response, refusal);
  }

  /**
   * Refuses to show something. That the caller has no permission for it is recorded; that it is not
   * there, or that the request is malformed, is not.
   */
  async unshown(event: ShownEvent, response: Response, refusal: Refusal): Promise<void> {
    if (refusal.code === 'FORBIDDEN') {
      const { platformId, accountId } = refusal.details;
      const ids = { platformId: textOf(platformId), accountId: textOf(accountId) };
      await this.#audit.recordForbidden(event, ids, callContextOf(response));
    }
    answerRefusal(response, refusal);
  }
}

function textOf(detail: unknown): string | null {
  return typeof detail === 'string' ? detail : null;
}
